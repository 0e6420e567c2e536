"""Tokenisers, one a file, and what they share."""
