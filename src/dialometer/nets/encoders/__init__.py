"""Networks that encode sentences."""
