"""stress: how metrics react to perturbed responses."""
