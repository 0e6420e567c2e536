"""The half-width covers as often as it says: by hand, by simulation, and on real ratings."""

import numpy as np
import pytest

from dialometer.core.errors import UsageError
from dialometer.judges._bilinear.conformal import cross_coverage, half_width, interval
from dialometer.judges._solvers.inner_folds import inner_folds, train_test_splits
from tests.judges.rated_sets import rated


@pytest.mark.parametrize("n", [9, 10, 19, 100, 1001])
@pytest.mark.parametrize("level", [0.5, 0.8, 0.9])
def test_rows_alone_give_the_usual_rank(n, level):
    """⌈(n + 1) · level⌉-th smallest absolute residual (Vovk et al. 2005; Lei et al. 2018, eq. 2)."""
    residuals = np.random.default_rng(n).normal(size=n)
    rank = int(np.ceil(np.round((n + 1) * level, 9)))
    wanted = np.sort(np.abs(residuals))[rank - 1] if rank <= n else np.inf
    assert half_width(residuals, level) == wanted


def test_rows_of_a_context_share_its_weight():
    """Weights ¼ for each of three contexts and ¼ at infinity: at level ½ the two light residuals suffice, above they do not."""
    residuals, groups = np.array([1.0, 2.0, 7.0, 8.0]), ["a", "b", "c", "c"]
    assert half_width(residuals, 0.5, groups) == 2
    assert half_width(residuals, 0.51, groups) == 7
    assert half_width(residuals, 0.75, groups) == 8
    assert half_width(residuals, 0.76, groups) == np.inf


def test_order_signs_and_holes_do_not_matter():
    residuals, groups = np.array([1.0, -2.0, 7.0, np.nan, -8.0]), np.array(["a", "b", "c", "d", "c"])
    for seed in range(5):
        order = np.random.default_rng(seed).permutation(5)
        assert half_width(residuals[order], 0.75, groups[order]) == 8


def test_nothing_known_is_infinitely_wide():
    assert half_width(np.array([]), 0.9) == np.inf
    assert half_width(np.array([np.nan]), 0.9) == np.inf


@pytest.mark.parametrize("level", [0, 1, -0.1, 90])
def test_a_level_is_a_share(level):
    with pytest.raises(UsageError, match="between 0 and 1"):
        half_width(np.ones(3), level)


def test_interval_stays_on_the_scale():
    low, high = interval(np.array([1.2, 3.0, np.nan]), np.inf, 1, 5)
    assert low[:2].tolist() == [1, 1]
    assert high[:2].tolist() == [5, 5]
    assert np.isnan(low[2])


def _drawn(rng, contexts):
    """Residuals whose spread belongs to the context, and contexts with many rows are the easy ones."""
    spread = rng.gamma(2.0, 0.5, contexts)
    sizes = 1 + rng.poisson(8 / (1 + spread))
    groups = np.repeat(np.arange(contexts), sizes)
    return rng.normal(size=len(groups)) * spread[groups] + 0.5 * rng.normal(size=contexts)[groups], groups


def test_simulated_coverage():
    """2,000 calibrations on 40 contexts, each tried on a row of 50 new ones.

    The theorem bounds the mean from below by 0.9, and a weight of 1/41 lies at infinity, so that it is hardly above 0.93. The
    mean's standard error is about 0.0012; six of them are allowed on either side. Rows that all count alike cover less, because
    easy contexts have more of them.
    """
    rng = np.random.default_rng(1)
    grouped, plain = [], []
    for _ in range(2000):
        residuals, groups = _drawn(rng, 40)
        fresh, owner = _drawn(rng, 50)
        first = np.unique(owner, return_index=True)[1]
        grouped.append(np.mean(np.abs(fresh[first]) <= half_width(residuals, 0.9, groups)))
        plain.append(np.mean(np.abs(fresh[first]) <= half_width(residuals, 0.9)))
    assert 0.9 - 0.007 < np.mean(grouped) < 0.93 + 0.007
    assert np.mean(plain) < 0.9 - 0.01 < np.mean(grouped)


def test_real_coverage(shared_data):
    """Out-of-fold residuals of a length-only regression on 800 real ratings: 9 of 10 ratings lie inside, checked crosswise."""
    corpus, y = rated(shared_data("turns/zhao_dailydialog.jsonl.gz"), "appropriateness")
    words = np.log1p(corpus.table("words").lengths()[corpus.response])
    groups, residuals = list(corpus.documents), np.empty(len(y))
    for learn, test in train_test_splits(inner_folds(groups, 10)):
        residuals[test] = y[test] - np.polyval(np.polyfit(words[learn], y[learn], 1), words[test])
    for level in (0.8, 0.9):
        assert abs(cross_coverage(residuals, level, groups) - level) < 0.04
        assert np.mean(np.abs(residuals) <= half_width(residuals, level, groups)) >= level
    assert cross_coverage(residuals / 3, 0.9, groups) == cross_coverage(residuals, 0.9, groups)
