"""Coefficients under weights: what scipy gives for the repeated items, and no digits lost where moments would lose them."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from dialometer.stats.correlation.correlate import WEIGHTED
from dialometer.stats.correlation.weighted import WeightedPearson, level_out, standardise, weight_blocks
from dialometer.stats.resample import bootstrap_weights

BY_SCIPY = {"pearson": stats.pearsonr, "spearman": stats.spearmanr, "kendall": stats.kendalltau}


@pytest.mark.parametrize(("units", "resamples"), [(1, 3), (7, 100), (999, 70)])
def test_blocks_are_the_rows_of_all_weights(units, resamples, monkeypatch):
    monkeypatch.setattr("dialometer.stats.correlation.weighted.PIECE", 1000)
    blocks = list(weight_blocks(units, resamples, 5))
    np.testing.assert_array_equal(np.concatenate(blocks), bootstrap_weights(units, resamples, 5))
    assert max(block.size for block in blocks) <= max(1000, 4 * units)


@pytest.mark.parametrize("kind", BY_SCIPY)
@given(st.data())
def test_weights_are_repeats(kind, data):
    """Any whole weights of five units, ties, and rows that one column lacks."""
    n = data.draw(st.integers(3, 12))
    x, z, y = (np.array(data.draw(st.lists(st.integers(-2, 2), min_size=n, max_size=n)), float) for _ in range(3))
    unit = np.array(data.draw(st.lists(st.integers(0, 4), min_size=n, max_size=n)))
    counts = np.array(data.draw(st.lists(st.integers(0, 3), min_size=5, max_size=5)))
    x = np.where(x == 2, np.nan, x)
    found = WEIGHTED[kind]([x, z], y, unit, 5)(counts[None, :].astype(float))[0]
    for value, column in zip(found, (x, z), strict=True):
        rows = np.flatnonzero(~np.isnan(column))
        rows = np.repeat(rows, counts[unit[rows]])
        a, b = column[rows], y[rows]
        if len(a) < 3 or np.ptp(a) == 0 or np.ptp(b) == 0:
            assert np.isnan(value)
        else:
            assert value == pytest.approx(BY_SCIPY[kind](a, b).statistic, abs=1e-12)


def test_a_huge_outlier_takes_no_digits_from_resamples_without_it():
    rng = np.random.default_rng(0)
    x, y = rng.normal(size=(2, 40))
    x[0] = 1e12
    block = np.ones((2, 40))
    block[1, 0] = 0
    found = WeightedPearson([x], y, np.arange(40), 40)(block)[:, 0]
    assert found[1] == pytest.approx(stats.pearsonr(x[1:], y[1:]).statistic, abs=1e-5)  # 1e12 itself leaves x 4 digits
    assert found[0] == pytest.approx(stats.pearsonr(x, y).statistic, abs=1e-12)


def test_a_mean_far_from_zero_costs_nothing():
    rng = np.random.default_rng(1)
    x, y = rng.integers(0, 9, (2, 50)).astype(float)
    found = WeightedPearson([x + 2.0**40], y, np.arange(50), 50)(np.ones((1, 50)))
    assert found[0, 0] == pytest.approx(stats.pearsonr(x, y).statistic, abs=1e-9)


def test_scaled_is_nan_for_infinite_and_zero_for_constant():
    assert np.isnan(standardise(np.array([1.0, np.inf]))).all()
    assert standardise(np.full(3, 0.1)).tolist() == [0, 0, 0]
    assert standardise(np.array([1e308, -1e308])).tolist() == [1, -1]


def test_means_that_differ_by_rounding_are_level():
    assert len({*level_out(np.array([0.1 + 0.2, 0.3, 5.0])).tolist()}) == 2
