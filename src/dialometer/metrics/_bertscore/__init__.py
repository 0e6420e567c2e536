"""Helpers of ``bertscore``."""
