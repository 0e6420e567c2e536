"""Helpers of ``embedding``."""
