"""compare: bots or runs side by side."""
