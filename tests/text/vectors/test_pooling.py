"""Several references, one score: worked by hand."""

import numpy as np
import pytest

from dialometer.core.errors import SpecError
from dialometer.text.vectors.pooling import PIECE, check_pool, means_and_coverage, pair_cosines, pool, row_cosines

STARTS = np.array([0, 2, 2, 3])
VALUES = np.array([[-1.0, 4.0], [-3.0, 6.0], [5.0, -7.0]])


@pytest.mark.parametrize(
    ("how", "expected"),
    [
        ("max", [[-1, 6], [0, 0], [5, -7]]),
        ("mean", [[-2, 5], [0, 0], [5, -7]]),
        ("centroid", [[-2, 5], [0, 0], [5, -7]]),
    ],
)
def test_pool(how, expected):
    assert pool(VALUES, STARTS, how).tolist() == expected
    assert pool(VALUES[:, 0], STARTS, how).tolist() == [row[0] for row in expected]


def test_pooling_nothing():
    assert pool(np.zeros((0, 2)), np.array([0, 0]), "mean").tolist() == [[0, 0]]
    assert pool(np.zeros(0), np.array([0]), "max").shape == (0,)


def test_ways_of_pooling():
    check_pool("sentence", "centroid")
    with pytest.raises(SpecError, match=r"sentence\(pool=…\) is one of max, mean, centroid, not 'best'"):
        check_pool("sentence", "best")


def test_means_and_coverage():
    """[scored, two values, known words, words]: two responses of 8 words; one without a word; none scored."""
    totals = np.array([[2.0, 1.0, -3.0, 6.0, 8.0], [1.0, 0.5, 0.0, 0.0, 0.0], [0.0, 0.0, 0.0, 0.0, 0.0]])
    nan = np.nan
    expected = [[0.5, -1.5, 0.75], [0.5, 0.0, 0.0], [nan, nan, nan]]
    np.testing.assert_array_equal(means_and_coverage(totals), expected)
    np.testing.assert_array_equal(means_and_coverage(totals[0]), expected[0])
    np.testing.assert_array_equal(means_and_coverage(np.stack([totals, totals[::-1]])), [expected, expected[::-1]])


def test_cosines():
    a, b = np.array([[3.0, 4.0], [0.0, 0.0], [1.0, 0.0]]), np.array([[-6.0, -8.0], [1.0, 0.0], [0.0, 2.0]])
    assert row_cosines(a, b).tolist() == [-1.0, 0.0, 0.0]
    assert row_cosines(a.astype(np.float32), b).dtype == np.float64


def test_pieces_change_nothing():
    rng = np.random.default_rng(0)
    vectors = rng.normal(size=(50, 3)).astype(np.float32)
    a, b = rng.integers(0, 50, (2, PIECE + 7))
    np.testing.assert_array_equal(pair_cosines(vectors, a, b), row_cosines(vectors[a], vectors[b]))
