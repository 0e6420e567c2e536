"""Training one network in several processes."""
