"""Finding similar texts: a tf-idf index, and retrieved pseudo-references."""
