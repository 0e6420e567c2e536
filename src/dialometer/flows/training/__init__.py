"""The steps of ``train``: the text to learn from, rated items, the tuning of AM-FM against them, its pictures."""
