"""What everything rests on: types, protocols, errors, names and specs, recipes, artifacts, the cache, files, seeds."""
