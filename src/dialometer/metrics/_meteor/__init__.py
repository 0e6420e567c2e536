"""Helpers of ``meteor``."""
