"""The best columns of a product: as sorting says, in any company."""

import numpy as np
import pytest

pytest.importorskip("torch")

from dialometer.nets.encoders.nearest import best_columns
from tests.network_tolerance import assert_same_vectors


@pytest.mark.parametrize("k", [1, 2, 7])
def test_as_sorting_says(k):
    rng = np.random.default_rng(0)
    left, right = rng.integers(-2, 3, (300, 4)).astype(np.float32), rng.integers(-2, 3, (50, 4)).astype(np.float32)
    whole = left @ right.T  # small whole numbers: exact, with many ties
    columns, products = best_columns(left, right, k)
    order = np.argsort(-whole, axis=1, kind="stable")[:, :k]
    assert columns.tolist() == order.tolist()
    assert products.tolist() == np.take_along_axis(whole, order, axis=1).tolist()


@pytest.mark.invariance
def test_batch_changes_no_product():
    rng = np.random.default_rng(1)
    left, right = rng.normal(size=(310, 64)).astype(np.float32), rng.normal(size=(4000, 64)).astype(np.float32)
    columns, products = best_columns(left, right, 3)
    for rows in (slice(0, 1), slice(255, 257), slice(300, 310), slice(7, 120)):
        some = best_columns(left[rows], right, 3)
        assert some[0].tolist() == columns[rows].tolist()
        assert_same_vectors(some[1], products[rows])
