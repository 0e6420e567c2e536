"""Correlation over subsets: against scipy row by row, and against the item level."""

import numpy as np
import pytest
from scipy import stats

from dialometer.core.errors import UsageError
from dialometer.stats.correlation.subsets import _rowwise, over_subsets


@pytest.mark.parametrize(("kind", "by_scipy"), [("pearson", stats.pearsonr), ("spearman", stats.spearmanr)])
def test_rows_equal_scipy(kind, by_scipy):
    rng = np.random.default_rng(0)
    x, y = rng.integers(0, 5, (2, 20, 30)).astype(float)
    wanted = [by_scipy(a, b).statistic for a, b in zip(x, y, strict=True)]
    np.testing.assert_allclose(_rowwise(x, y, kind), wanted, atol=1e-12)


def test_mean_and_spread_of_a_known_correlation():
    """ρ = 0.5 over 3000 items: within 100 items the spread is about (1 − ρ²)/√99 = 0.075, and the mean lies near the whole's."""
    rng = np.random.default_rng(1)
    x = rng.normal(size=3000)
    y = 0.5 * x + np.sqrt(0.75) * rng.normal(size=3000)
    whole = stats.pearsonr(x, y).statistic
    found = over_subsets(x, y, subsets=800)
    assert found.mean == pytest.approx(whole, abs=0.075 * 5 / np.sqrt(800) + 0.003)
    assert found.sd == pytest.approx(0.075, rel=0.2)
    assert found.low < found.mean < found.high
    assert found.of_means == pytest.approx(whole, abs=0.15)
    assert (found.defined, found.n, found.size) == (800, 3000, 100)


def test_no_item_twice_in_a_subset():
    """With all items but one in each subset, the mean over subsets is that of leaving one out, not that of a bootstrap."""
    x, y = np.random.default_rng(2).normal(size=(2, 12))
    left_out = [stats.pearsonr(np.delete(x, i), np.delete(y, i)).statistic for i in range(12)]
    found = over_subsets(x, y, size=11, subsets=500)
    assert min(left_out) - 1e-12 <= found.low
    assert found.high <= max(left_out) + 1e-12


def test_too_few_items_and_constant_sides():
    assert np.isnan(over_subsets(np.arange(50.0), np.arange(50.0)).mean)
    constant = over_subsets(np.ones(200), np.arange(200.0), subsets=10)
    assert np.isnan(constant.mean)
    assert constant.defined == 0
    x = np.arange(200.0)
    x[:80] = np.nan
    assert over_subsets(x, x, subsets=10).n == 120
    with pytest.raises(UsageError):
        over_subsets(x, x, size=2)
    with pytest.raises(UsageError):
        over_subsets(x, x, kind="kendall")
