"""Helpers of ``amfm``."""
