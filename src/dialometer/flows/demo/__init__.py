"""demo: the whole loop, offline."""
