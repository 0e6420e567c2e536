"""The page of ``meta``."""
