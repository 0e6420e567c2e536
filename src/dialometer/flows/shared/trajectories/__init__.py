"""Dialogues turn by turn, for ``meta`` and ``compare``."""
