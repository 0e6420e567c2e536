"""Judges: metrics trained on human ratings, one file each (docs/design/judges.md)."""
