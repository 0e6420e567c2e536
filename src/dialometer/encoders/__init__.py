"""Word vectors, sentence encoders, emotion; one file each."""
