"""From strings to integers: tokenisers, the token table, the corpus."""
