"""Correlations against scipy, and intervals against brute force and simulation."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from dialometer.core.errors import UnknownName, UsageError
from dialometer.stats.correlation.correlate import KINDS, correlate, correlate_table, draw_correlations, pearson, spearman
from dialometer.stats.resample import bootstrap_weights

numbers = st.lists(st.tuples(st.integers(-5, 5), st.integers(-5, 5)), min_size=3, max_size=40)


@given(numbers)
def test_coefficients_equal_scipy(pairs):
    x, y = np.array(pairs, float).T
    if np.ptp(x) == 0 or np.ptp(y) == 0:
        assert np.isnan(pearson(x, y))
        assert np.isnan(spearman(x, y))
        return
    assert pearson(x, y) == pytest.approx(stats.pearsonr(x, y).statistic, abs=1e-12)
    assert spearman(x, y) == pytest.approx(stats.spearmanr(x, y).statistic, abs=1e-12)


BY_SCIPY = {"pearson": stats.pearsonr, "spearman": stats.spearmanr, "kendall": stats.kendalltau}


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(("n", "levels"), [(25, 0), (25, 4), (200, 0), (200, 6)])
def test_coefficients_and_p_values_equal_scipy(kind, n, levels):
    rng = np.random.default_rng(n)
    x, y = rng.integers(0, levels, (2, n)).astype(float) if levels else rng.normal(size=(2, n))
    wanted = BY_SCIPY[kind](x, y)
    found = correlate(x, y, kind=kind, resamples=0)
    assert found.r == pytest.approx(wanted.statistic, abs=1e-12)
    assert found.p == pytest.approx(wanted.pvalue, rel=1e-9)
    assert found.n == n


@pytest.mark.parametrize("kind", KINDS)
def test_resamples_are_what_repeating_the_items_gives(kind):
    rng = np.random.default_rng(5)
    x, y = rng.integers(0, 6, (2, 30)).astype(float)
    clusters = np.repeat(np.arange(10), 3)
    draws = draw_correlations([x, -x], y, clusters, kind=kind, resamples=50, seed=7)
    weights = bootstrap_weights(10, 50, 7)
    for draw, counts in zip(draws, weights, strict=True):
        rows = np.repeat(np.arange(30), counts[clusters].astype(int))
        wanted = BY_SCIPY[kind](x[rows], y[rows]).statistic
        np.testing.assert_allclose(draw, [wanted, -wanted], atol=1e-12)


def test_missing_numbers_are_left_out():
    x = np.array([1, 2, np.nan, 4, 5.0])
    y = np.array([1, 3, 9, np.nan, 4.0])
    assert correlate(x, y, resamples=10).n == 3


def test_intervals_cover_a_true_correlation():
    """400 samples of 60 with ρ = 0.5: a 95% interval that covers 88% or less, or 99.9% or more, is broken.

    At a true coverage of 0.93 to 0.96 (percentile bootstrap, n = 60) the count of 400 leaves [352, 399] with probability < 1e-6
    on the low side; the high side is left only by intervals that are far too wide.
    """
    rng = np.random.default_rng(11)
    hits = 0
    for seed in range(400):
        x = rng.normal(size=60)
        y = 0.5 * x + np.sqrt(0.75) * rng.normal(size=60)
        found = correlate(x, y, resamples=300, seed=seed)
        hits += found.low <= 0.5 <= found.high
    assert 340 <= hits < 400


def test_clusters_widen_the_interval():
    rng = np.random.default_rng(2)
    x, y = np.repeat(rng.normal(size=(2, 20)), 10, axis=1)
    clusters = np.repeat(np.arange(20), 10)
    alone, together = correlate(x, y), correlate(x, y, clusters)
    assert together.high - together.low > 2 * (alone.high - alone.low)


def test_nothing_and_one_cluster_have_no_interval():
    nothing = np.zeros(0)
    assert np.isnan(pearson(nothing, nothing))
    assert np.isnan(spearman(nothing, nothing))
    assert correlate(np.array([np.nan, 1.0]), np.array([1.0, np.nan])).n == 0
    found = correlate(np.arange(6.0), np.arange(6.0) ** 2, np.zeros(6))
    assert found.r > 0.9
    assert np.isnan(found.low)


def test_a_table_is_its_columns_one_by_one():
    """Where all columns have the same rows; a column of a table is drawn in the resamples of the whole table."""
    rng = np.random.default_rng(8)
    columns = {"a": rng.normal(size=40), "b": rng.integers(0, 3, 40).astype(float)}
    y, clusters = rng.normal(size=40), np.repeat([f"context {i}" for i in range(10)], 4)
    told = []
    table = correlate_table(columns, y, clusters, resamples=64, progress=lambda *told_of: told.append(told_of))
    for name, column in columns.items():
        for kind in KINDS:
            assert table[name][kind] == correlate(column, y, clusters, kind=kind, resamples=64)
    assert told[-1] == ("resampling", 3 * 64, 3 * 64)


def test_what_cannot_be_correlated_has_its_n():
    y = np.arange(12.0)
    columns = {
        "constant": np.full(12, 0.1),
        "nothing": np.full(12, np.nan),
        "two": np.where(y < 2, y, np.nan),
        "infinite": np.where(y < 1, np.inf, y),
        "fine": y**2,
    }
    table = correlate_table(columns, y, resamples=20)
    for name, n in {"constant": 12, "nothing": 0, "two": 2}.items():
        for kind in KINDS:
            found = table[name][kind]
            assert np.isnan([found.r, found.p, found.low, found.high]).all()
            assert found.n == n
    assert np.isnan(table["infinite"]["pearson"].r)
    assert table["infinite"]["spearman"].r == pytest.approx(spearman(np.where(y < 1, 99, y), y))
    assert table["fine"]["kendall"].r == 1.0
    nobody = correlate_table(columns, np.full(12, np.nan))
    assert all(np.isnan(nobody[name]["pearson"].r) and nobody[name]["pearson"].n == 0 for name in columns)
    assert correlate_table({}, y) == {}


def test_a_column_within_one_cluster_has_no_interval():
    y = np.random.default_rng(0).normal(size=20)
    own = np.repeat([0, 1], 10)
    table = correlate_table({"half": np.where(own == 0, y + y**2, np.nan), "all": y**3}, y, own, resamples=50)
    assert np.isnan(table["half"]["pearson"].low)
    assert not np.isnan(table["all"]["pearson"].low)


def test_lengths_and_kinds_are_checked():
    with pytest.raises(UsageError, match="bleu: 3 values for 4 ratings"):
        correlate_table({"bleu": np.zeros(3)}, np.zeros(4))
    with pytest.raises(UnknownName, match="did you mean kendall"):
        correlate(np.arange(4.0), np.arange(4.0), kind="kendal")


@pytest.mark.parametrize("kind", KINDS)
def test_clustered_intervals_cover(kind):
    """400 worlds of 40 contexts of 5 items, normal, correlated 0.5 both between and within contexts, which hold most of the spread.

    True values: ρ, 6/π asin(ρ/2), 2/π asin ρ. Percentile intervals of 40 clusters cover 92 to 95%: below 340 of 400 is over five
    standard deviations of the binomial away, and 400 of 400 has probability 0.95^400 < 2e-9. Items taken for independent must fail.
    """
    rng = np.random.default_rng(17)
    true = {"pearson": 0.5, "spearman": 6 / np.pi * np.arcsin(0.25), "kendall": 1 / 3}[kind]
    clusters = np.repeat(np.arange(40), 5)
    hits, naive = 0, 0
    for seed in range(400):
        x, other = 2 * np.repeat(rng.normal(size=(2, 40)), 5, axis=1) + rng.normal(size=(2, 200))
        y = 0.5 * x + np.sqrt(0.75) * other
        for own in (clusters, np.arange(200)):
            draws = draw_correlations([x], y, own, kind=kind, resamples=200, seed=seed)[:, 0]
            low, high = np.quantile(draws, [0.025, 0.975])
            if own is clusters:
                hits += low <= true <= high
            else:
                naive += low <= true <= high
    assert 340 <= hits < 400
    assert naive < 320
