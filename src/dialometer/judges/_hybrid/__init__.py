"""The regression of ``hybrid``: features of dialogues, expected signs, curved features, domain."""
