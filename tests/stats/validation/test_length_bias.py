"""Length bias: partial correlation against residuals, the matched one against dummy regression and simulated confounding."""

import numpy as np
import pytest
from scipy import stats

from dialometer.core.errors import UsageError
from dialometer.stats.validation.length_bias import LENGTH_ONLY, length_bias, length_bins, with_length


def confounded(n, seed, within=0.0):
    """Metric and people that both follow length, and each other by ``within`` besides."""
    rng = np.random.default_rng(seed)
    lengths = rng.integers(1, 31, n).astype(float)
    shared = rng.normal(size=n) * within
    metric = 0.1 * lengths + shared + 0.5 * rng.normal(size=n)
    human = 0.1 * lengths + shared + 0.5 * rng.normal(size=n)
    return metric, human, lengths


def residual(values, *columns):
    design = np.stack([np.ones(len(values)), *columns], axis=1)
    return values - design @ np.linalg.lstsq(design, values, rcond=None)[0]


@pytest.mark.parametrize("kind", ["pearson", "spearman"])
def test_partial_equals_the_correlation_of_residuals(kind):
    m, h, x = confounded(80, 1, 0.4)
    found = length_bias(m, h, x, kind=kind, resamples=0)
    columns = [stats.rankdata(c) for c in (m, h, x)] if kind == "spearman" else [m, h, x]
    wanted = stats.pearsonr(residual(columns[0], columns[2]), residual(columns[1], columns[2])).statistic
    assert found.partial.r == pytest.approx(wanted, abs=1e-10)
    t = wanted * np.sqrt(77 / (1 - wanted**2))
    assert found.partial.p == pytest.approx(2 * stats.t.sf(abs(t), 77), rel=1e-6)


@pytest.mark.parametrize("kind", ["pearson", "spearman"])
def test_matched_equals_regression_on_bins(kind):
    m, h, x = confounded(90, 2, 0.4)
    found = length_bias(m, h, x, kind=kind, bins=4, resamples=0)
    bins = length_bins(x, 4)
    dummies = [(bins == number).astype(float) for number in range(1, 4)]
    m, h = (stats.rankdata(c) if kind == "spearman" else c for c in (m, h))
    assert found.matched.r == pytest.approx(
        stats.pearsonr(residual(m, *dummies), residual(h, *dummies)).statistic, abs=1e-10
    )
    assert found.bins == 4


@pytest.mark.parametrize("kind", ["pearson", "spearman"])
def test_agreement_by_length_alone_disappears(kind):
    """2000 items: a partial correlation of zero has a standard error of 0.022, and 5 of them are left once in 1.7e6 runs.

    Spearman's is zero only nearly (ranks of length are not linear in length); 0.15 holds both.
    """
    found = length_bias(*confounded(2000, 3), kind=kind, resamples=200)
    assert found.plain.r > 0.6
    assert abs(found.partial.r) < 0.15
    assert abs(found.matched.r) < 0.15
    assert found.metric_length.r > 0.7
    assert found.human_length.r > 0.7


def test_agreement_beyond_length_stays_and_its_interval_covers_it():
    """Within a length, cov = 0.36 and var = 0.61: a true partial correlation of 0.59 (n = 2000, standard error 0.015)."""
    found = length_bias(*confounded(2000, 4, 0.6), resamples=400)
    assert found.partial.r == pytest.approx(0.36 / 0.61, abs=0.075)
    assert found.partial.low < found.partial.r < found.partial.high
    assert found.partial.high - found.partial.low == pytest.approx(4 * 0.0146, rel=0.35)
    assert found.matched.low < found.matched.r < found.matched.high


def test_resampling_whole_clusters_widens_the_interval():
    m, h, x = (np.repeat(column, 8) for column in confounded(40, 5, 0.5))
    clusters = np.repeat(np.arange(40), 8)
    alone, together = length_bias(m, h, x, resamples=300), length_bias(m, h, x, clusters, resamples=300)
    for name in ("partial", "matched"):
        a, t = getattr(alone, name), getattr(together, name)
        assert t.r == pytest.approx(a.r, abs=1e-12)
        assert t.high - t.low > 2 * (a.high - a.low)


def test_bins_by_length_and_ties():
    assert length_bins(np.array([3, 3, 3, 3]), 5).tolist() == [0, 0, 0, 0]
    assert length_bins(np.array([5, 1, 5, 2]), 0).tolist() == [2, 0, 2, 1]
    assert len(length_bins(np.zeros(0), 3)) == 0


def test_missing_constant_and_few():
    m, h, x = confounded(30, 6)
    m[:4] = np.nan
    assert length_bias(m, h, x, resamples=10).partial.n == 26
    assert np.isnan(length_bias(np.ones(30), h, x, resamples=10).partial.r)
    assert np.isnan(length_bias(x, h, x, resamples=10).partial.r)  # length itself: nothing is left over
    assert np.isnan(length_bias(m[4:7], h[4:7], x[4:7]).matched.r)
    same = length_bias(m[4:], h[4:], np.ones(26), resamples=10)
    assert same.partial.r == pytest.approx(same.plain.r)


def test_other_coefficients_are_refused():
    with pytest.raises(UsageError):
        length_bias(*confounded(30, 6), kind="kendall")


def test_length_is_a_column_like_others():
    columns = with_length({"bleu": np.zeros(2)}, np.array([3, 4]))
    assert columns[LENGTH_ONLY].tolist() == [3, 4]
