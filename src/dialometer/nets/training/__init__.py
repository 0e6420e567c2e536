"""The training loop, batches, checkpoints, devices."""
