"""The steps of ``train``: the text to learn from, the tuning of AM-FM against people."""
