"""How far the numbers of a network may move with the batch (docs/design/batch-invariance.md)."""

import numpy as np

TOLERANCE = 1e-5  # of the largest number of a vector; of a score, which is of the order of 1
NETWORKS = ("deepmoji", "infersent", "minilm", "skipthought", "tweet2vec")  # as recipes name them


def assert_same_vectors(found, wanted):
    """Equal shapes, and each vector (the last axis) equal to the tolerance; a vector of zeros is equal to nothing else."""
    found, wanted = np.asarray(found, np.float64), np.asarray(wanted, np.float64)
    assert found.shape == wanted.shape
    bound = TOLERANCE * np.abs(wanted).max(axis=-1, keepdims=True, initial=0.0)
    assert (np.abs(found - wanted) <= bound).all(), f"off by {np.abs(found - wanted).max()}"
