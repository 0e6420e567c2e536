"""File formats, one a file, and how a format is detected."""
