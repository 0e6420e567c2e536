"""Helpers of ``deepmoji``."""
