"""Pairwise accuracy with tie calibration, against a double loop over pairs and every threshold."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dialometer.stats.correlation.pairwise_accuracy import pairwise_accuracy


def by_loop(x, y, epsilon, groups=None):
    """The mean over groups of the share of pairs that metric and people call the same."""
    shares = []
    for group in sorted(set(groups)) if groups is not None else [None]:
        rows = [i for i in range(len(x)) if groups is None or groups[i] == group]
        right = [
            (0 if abs(x[i] - x[j]) <= epsilon else np.sign(x[i] - x[j])) == np.sign(y[i] - y[j])
            for i in rows
            for j in rows
            if i < j
        ]
        if right:
            shares.append(np.mean(right))
    return np.mean(shares)


@given(st.lists(st.tuples(st.integers(0, 8), st.integers(0, 3), st.integers(0, 2)), min_size=2, max_size=14), st.booleans())
def test_the_best_threshold_of_all(rows, grouped):
    x, y, group = (np.array(column) for column in zip(*rows, strict=True))
    groups = group if grouped else None
    found = pairwise_accuracy(x, y, groups)
    if not found.of:
        assert np.isnan(found.value)
        return
    best = max(range(9), key=lambda e: (round(by_loop(x, y, e, groups), 9), -e))
    assert found.value == pytest.approx(by_loop(x, y, best, groups))
    assert by_loop(x, y, found.epsilon, groups) == pytest.approx(found.value)
    assert found.epsilon <= best
    assert found.chosen
    given_one = pairwise_accuracy(x, y, groups, epsilon=2)
    assert given_one.value == pytest.approx(by_loop(x, y, 2, groups))
    assert not given_one.chosen


def test_ties_matter():
    """Half the pairs are human ties: a metric that never ties gets none of them, unless calibrated."""
    x = np.array([0.1, 0.12, 0.5, 0.53])
    y = np.array([1.0, 1.0, 2.0, 2.0])
    assert pairwise_accuracy(x, y, epsilon=0.0).value == pytest.approx(4 / 6)
    found = pairwise_accuracy(x, y)
    assert found.value == pytest.approx(1.0)
    assert found.epsilon == pytest.approx(0.03)
    assert found.human_ties == pytest.approx(2 / 6)


def test_many_pairs_are_sampled_and_it_says_so():
    """1,400 items, 200,000 of 979,300 pairs: the standard error is 0.0011, and 0.006 is over five of them."""
    rng = np.random.default_rng(4)
    y = rng.integers(1, 6, 1400).astype(float)
    x = y + rng.normal(size=1400)
    whole, some = pairwise_accuracy(x, y), pairwise_accuracy(x, y, pairs=200_000)
    assert (whole.pairs, whole.of, whole.sampled) == (979_300, 979_300, False)
    assert (some.pairs, some.of, some.sampled) == (200_000, 979_300, True)
    assert some.value == pytest.approx(whole.value, abs=0.006)
    assert pairwise_accuracy(x, y, pairs=200_000) == some


@pytest.mark.parametrize("x", [[], [1.0], [np.nan, np.nan, 2.0]])
def test_without_pairs_it_is_nan(x):
    found = pairwise_accuracy(np.array(x), np.arange(len(x), dtype=float))
    assert np.isnan([found.value, found.epsilon]).all()
    assert found.pairs == 0


def test_constant_and_infinite_scores():
    y = np.array([1.0, 1.0, 2.0])
    assert pairwise_accuracy(np.ones(3), y).value == pytest.approx(1 / 3)  # always a tie: right where people tie
    assert pairwise_accuracy(np.array([-np.inf, -np.inf, np.inf]), y, epsilon=0).value == 1.0
