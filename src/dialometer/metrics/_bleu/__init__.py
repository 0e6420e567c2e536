"""Helpers of ``bleu``."""
