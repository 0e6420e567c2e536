"""Builders: dialogues out of the raw files of public corpora."""
