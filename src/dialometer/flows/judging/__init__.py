"""The steps of training a judge: rated items, fits on folds, baselines, what it leans on, card and report."""
