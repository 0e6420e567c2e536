"""play: dialogues between bots."""
