"""Means of systems: t against scipy, resampling against the error it should equal, coverage by simulation."""

import numpy as np
import pytest
from scipy import stats

from dialometer.core.errors import UsageError
from dialometer.stats.means import means_table, system_means


def test_independent_items_get_the_t_interval_of_scipy():
    values, systems = np.random.default_rng(0).normal(3, 1, 60), np.repeat(["b", "a"], 30)
    found = system_means(values, systems)
    assert list(found) == ["a", "b"]
    for name, mean in found.items():
        own = values[systems == name]
        assert mean.method == "t"
        assert mean.mean == pytest.approx(own.mean())
        for level in (0.9, 0.95):
            wanted = stats.t.interval(level, 29, own.mean(), own.std(ddof=1) / np.sqrt(30))  # / √n, never / n
            assert mean.intervals[level] == pytest.approx(wanted)


def test_resampling_clusters_equals_theory():
    """200 clusters of 5: the mean's standard error is that of 200 cluster means; 4000 resamples know it to about 1%."""
    rng = np.random.default_rng(1)
    shared = rng.normal(size=200)
    values = np.repeat(shared, 5) + 0.1 * rng.normal(size=1000)
    mean = means_table({"x": values}, ["s"] * 1000, np.repeat(np.arange(200), 5), resamples=4000)["x"]["s"]
    assert mean.method == "bootstrap"
    assert (mean.n, mean.clusters) == (1000, 200)
    se = values.reshape(200, 5).mean(axis=1).std(ddof=1) / np.sqrt(200)
    low, high = mean.intervals[0.95]
    assert (high - low) / (2 * 1.96) == pytest.approx(se, rel=0.08)
    low90, high90 = mean.intervals[0.9]
    assert low < low90 < mean.mean < high90 < high


@pytest.mark.parametrize("size", [1, 4])
def test_intervals_cover_the_true_mean(size):
    """400 samples of 40 clusters; 1.96 · sd / n would cover a quarter of them.

    A percentile interval covers a little less than it says: P(Binomial(400, 0.925) < 340) = 1e-7, 0.96⁴⁰⁰ = 8e-8;
    P(Binomial(400, 0.87) < 310) = 6e-8, P(Binomial(400, 0.91) ≥ 392) = 7e-9.
    """
    rng = np.random.default_rng(2)
    hits = {0.9: 0, 0.95: 0}
    for seed in range(400):
        values = np.repeat(rng.normal(size=40), size) + 0.5 * rng.normal(size=40 * size)
        clusters = np.repeat(np.arange(40), size)
        intervals = means_table({"x": values}, ["s"] * len(values), clusters, resamples=300, seed=seed)["x"]["s"].intervals
        for level, (low, high) in intervals.items():
            hits[level] += low <= 0 <= high
    assert 340 <= hits[0.95] < 400
    assert 310 <= hits[0.9] < 392


def test_missing_numbers_and_lonely_systems():
    found = system_means(np.array([1, np.nan, 3, np.nan, 4.0]), ["a", "a", "a", "b", "c"])
    assert found["a"].mean == 2
    assert found["a"].n == 2
    assert np.isnan(found["b"].mean)
    assert found["b"].n == 0
    assert found["c"].mean == 4
    assert np.isnan(found["c"].intervals[0.95]).all()
    one = means_table({"x": np.arange(4.0)}, ["a"] * 4, np.zeros(4))["x"]["a"]
    assert np.isnan(one.intervals[0.9]).all()
    assert system_means(np.zeros(0), []) == {}
    with pytest.raises(UsageError):
        system_means(np.arange(4.0), ["a"] * 4, levels=(95,))


def test_the_order_of_rows_and_other_systems_change_no_interval():
    """Draws belong to a system's name and its clusters' names; a cluster without a number is drawn all the same."""
    rng = np.random.default_rng(3)
    values, systems = rng.normal(size=40), np.repeat(["a", "b"], 20)
    clusters = np.tile([f"c{number}" for number in range(20)], 2)
    values[5] = np.nan
    whole = means_table({"x": values, "y": 2 * values}, systems, clusters)
    order = rng.permutation(40)
    shuffled = means_table({"x": values[order]}, systems[order], clusters[order])["x"]
    alone = means_table({"x": values[:20]}, systems[:20], clusters[:20])["x"]["a"]
    for level in (0.9, 0.95):
        assert shuffled["a"].intervals[level] == pytest.approx(whole["x"]["a"].intervals[level], abs=1e-12)
        assert alone.intervals[level] == pytest.approx(whole["x"]["a"].intervals[level], abs=1e-12)
        assert whole["y"]["b"].intervals[level] == pytest.approx(
            np.multiply(2, whole["x"]["b"].intervals[level]), abs=1e-12
        )
    assert np.isnan(means_table({"x": values}, systems, clusters, resamples=0)["x"]["a"].intervals[0.95]).all()
