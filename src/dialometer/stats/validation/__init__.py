"""Is a trained metric valid: folds, leave-one-out, null distributions, calibration, attribution, length."""
