"""The parts of chat: the scores of single replies, and the file that a conversation is kept in."""
