"""What is kept: run directories, written whole or not at all."""
