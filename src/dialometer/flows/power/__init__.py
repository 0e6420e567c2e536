"""power: how large a study must be."""
