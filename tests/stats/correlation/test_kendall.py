"""Kendall's τ-b against scipy and by hand."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from dialometer.stats.correlation.kendall import kendall, kendall_sums


@given(st.lists(st.tuples(st.integers(0, 6), st.integers(0, 6)), min_size=3, max_size=40))
def test_tied_data_equal_scipy(pairs):
    x, y = np.array(pairs, float).T
    if np.ptp(x) == 0 or np.ptp(y) == 0:
        assert np.isnan(kendall(x, y))
    else:
        assert kendall(x, y) == pytest.approx(stats.kendalltau(x, y).statistic, abs=1e-12)


@pytest.mark.parametrize("n", [3, 10, 500, 5000])
def test_random_data_equal_scipy(n):
    x, y = np.random.default_rng(n).normal(size=(2, n))
    assert kendall(x, x + y) == pytest.approx(stats.kendalltau(x, x + y).statistic, abs=1e-12)


def test_sums_by_hand():
    """Of (1,1) (2,3) (2,2) (3,4): 5 pairs concordant, none discordant, one tied in x."""
    assert kendall_sums(np.array([1.0, 2, 2, 3]), np.array([1.0, 3, 2, 4])) == (5.0, 5.0, 6.0)


def test_infinite_numbers_have_a_place():
    assert kendall(np.array([1.0, np.inf, 2.0, -np.inf]), np.array([2.0, 9.0, 3.0, 1.0])) == 1.0


@pytest.mark.parametrize("x", [[], [1.0, 2.0], [1.0, np.nan, 3.0], [2.0, 2.0, 2.0]])
def test_what_is_undefined_is_nan(x):
    assert np.isnan(kendall(np.array(x), np.arange(len(x), dtype=float)))
