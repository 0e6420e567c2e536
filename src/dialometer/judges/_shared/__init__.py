"""What all judges share: metrics as features, vectors, rows to learn from."""
