"""What passes between rooms: one module per command, with its frozen Request."""
