"""Blocks and sections as HTML."""
