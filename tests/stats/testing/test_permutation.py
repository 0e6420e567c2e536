"""Exact p-values against every order visited one by one, and against scipy where it has them."""

import time
from itertools import permutations

import numpy as np
import pytest
from scipy import stats

from dialometer.stats.correlation.correlate import COEFFICIENTS, correlate
from dialometer.stats.testing.permutation import exact_p, mean_ranks


@pytest.mark.parametrize("kind", COEFFICIENTS)
@pytest.mark.parametrize("n", [3, 4, 5, 6])
@pytest.mark.parametrize("digits", [0, 9])
def test_every_order_visited(kind, n, digits):
    rng = np.random.default_rng(n)
    columns = list(np.round(rng.normal(size=(4, n)) * 1.5, digits))
    y = np.round(rng.normal(size=n) * 1.5, digits)
    for x, p in zip(columns, exact_p(columns, y, kind), strict=True):
        if np.ptp(x) == 0 or np.ptp(y) == 0:
            assert np.isnan(p)
            continue
        coefficient = COEFFICIENTS[kind]
        least = abs(coefficient(x, y)) - 1e-10
        assert p == pytest.approx(np.mean([abs(coefficient(x, np.array(order))) >= least for order in permutations(y)]))


@pytest.mark.parametrize("n", [5, 8, 10])
def test_kendall_without_ties_is_scipys_exact(n):
    x, y = np.random.default_rng(n).normal(size=(2, n))
    assert exact_p([x], y, "kendall")[0] == pytest.approx(stats.kendalltau(x, y, method="exact").pvalue, abs=1e-12)


def test_pearson_equals_scipys_permutation_test():
    """scipy doubles the smaller tail; for this sample of seven the tails are counted apart to say the same."""
    x, y = np.random.default_rng(2).normal(size=(2, 7))
    r = stats.pearsonr(x, y).statistic
    null = stats.permutation_test(
        (x,), lambda a: stats.pearsonr(a, y).statistic, permutation_type="pairings", n_resamples=np.inf
    ).null_distribution
    assert exact_p([x], y, "pearson")[0] == pytest.approx(np.mean(np.abs(null) >= abs(r) - 1e-12))


@pytest.mark.parametrize("kind", COEFFICIENTS)
def test_twenty_columns_of_ten_take_a_moment(kind):
    """10! orders for each of 20 columns, also where almost all is tied; seconds of CPU time, not minutes."""
    rng = np.random.default_rng(0)
    columns = [*rng.normal(size=(10, 10)), *rng.integers(0, 2, (10, 10)).astype(float)]
    start = time.process_time()
    p = exact_p(columns, rng.normal(size=10), kind)
    assert time.process_time() - start < 10
    assert ((p > 0) & (p <= 1)).all()


def test_small_samples_get_it_and_larger_ones_do_not():
    x, y = np.random.default_rng(1).normal(size=(2, 11))
    assert correlate(x, y, resamples=0).test == "t"
    assert correlate(x[:10], y[:10], resamples=0).test == "exact"
    assert correlate(np.arange(4.0), np.arange(4.0), kind="spearman", resamples=0).p == pytest.approx(2 / 24)


def test_ranks_equal_scipy():
    values = np.random.default_rng(0).integers(0, 5, 40).astype(float)
    np.testing.assert_array_equal(mean_ranks(values), stats.rankdata(values))
