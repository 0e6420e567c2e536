"""Pages, cards and sentences of commands, one folder per command; they read typed results."""
