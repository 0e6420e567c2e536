"""score: per-item scores, per-system means with intervals."""
