"""chat: a bot in the terminal."""
