"""train a judge: fit on ratings, and validate on what it has not seen."""
