"""Tables beside the items: ratings, preferences, scores, systems."""
