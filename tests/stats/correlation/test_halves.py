"""Two halves of each item's ratings: every rating is in one of them, and the split depends on seed and item alone."""

import numpy as np
import pytest

from dialometer.stats.correlation.halves import split_halves


def test_every_rating_is_in_one_half():
    """Ratings are powers of two, so that a sum names its members; the first half of 5 has 2."""
    a, b = split_halves([[1, 2, 4, 8, 16]], ["x"])
    assert a[0] * 2 + b[0] * 3 == 31
    assert (int(a[0] * 2).bit_count(), round(b[0] * 3).bit_count()) == (2, 3)


@pytest.mark.parametrize("few", [[], [3]])
def test_too_few_ratings(few):
    a, b = split_halves([few, [2, 4]], ["x", "y"])
    assert np.isnan([a[0], b[0]]).all()
    assert sorted([a[1], b[1]]) == [2, 4]
    assert [len(half) for half in split_halves([], [])] == [0, 0]


def test_seed_and_item_decide():
    ratings = [list(range(8))] * 40
    ids = [f"i{n}" for n in range(40)]
    a, b = split_halves(ratings, ids)
    np.testing.assert_array_equal(split_halves(ratings[::-1], ids[::-1])[0], a[::-1])
    np.testing.assert_array_equal(split_halves(ratings, ids), [a, b])
    assert len(np.unique(a)) > 5
    assert (split_halves(ratings, ids, seed=1)[0] != a).any()
    np.testing.assert_allclose(a + b, 7)
