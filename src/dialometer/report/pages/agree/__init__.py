"""The page of ``agree``."""
