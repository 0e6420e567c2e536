"""Torch layers, batches, checkpoints and the training loop; no names of metrics or bots."""
