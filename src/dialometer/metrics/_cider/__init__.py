"""Helpers of ``cider``."""
