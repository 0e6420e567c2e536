"""The effect of length differences: Welch against scipy, both permutations against what they should do."""

from itertools import combinations

import numpy as np
import pytest
from scipy import stats

from dialometer.stats.validation.length_effect import length_effect


def test_means_and_welch_equal_scipy():
    rng = np.random.default_rng(1)
    scores, gaps = rng.normal(size=60), rng.integers(0, 13, 60).astype(float)
    scores[3], gaps[5] = np.nan, np.nan
    found = length_effect(scores, gaps, permutations=50)
    both = ~np.isnan(scores) & ~np.isnan(gaps)
    near, far = scores[both & (gaps <= 6)], scores[both & (gaps > 6)]
    assert (found.n_near, found.n_far, found.left_out) == (len(near), len(far), 2)
    assert found.near == pytest.approx(near.mean())
    assert found.difference == pytest.approx(near.mean() - far.mean())
    assert found.welch_p == pytest.approx(stats.ttest_ind(near, far, equal_var=False).pvalue, rel=1e-12)


def test_permutation_equals_all_choices_by_hand():
    """Of the 35 ways to choose 3 of 7, those with a difference as large; 20,000 draws leave ±0.02 less than once in 1e6 runs."""
    scores, gaps = np.array([1, 2, 8, 9, 4, 3, 7.5]), np.array([9, 9, 1, 1, 9, 9, 1])
    centred = scores - scores.mean()
    found = abs(centred[[2, 3, 6]].sum())
    exact = np.mean([abs(centred[list(rows)].sum()) >= found - 1e-9 for rows in combinations(range(7), 3)])
    assert length_effect(scores, gaps, permutations=20_000).permutation_p == pytest.approx(exact, abs=0.02)


@pytest.mark.parametrize("clustered", [False, True])
def test_size_is_five_percent_where_nothing_happens(clustered):
    """300 null samples: at a true size of 5% (at most 7%) more than 45 rejections come less than once in 1e6 runs.

    P(Binomial(300, 0.07) > 45) = 6e-7.
    """
    rng = np.random.default_rng(4)
    rejected = 0
    for seed in range(300):
        clusters = np.repeat(np.arange(40), 3)
        shared = np.repeat(rng.normal(size=40), 3) if clustered else 0
        gaps = np.repeat(rng.integers(0, 13, 40), 3) if clustered else rng.integers(0, 13, 120)
        scores = shared + 0.3 * rng.normal(size=120)
        found = length_effect(scores, gaps, clusters if clustered else None, permutations=199, seed=seed)
        rejected += found.permutation_p <= 0.05
    assert 0 < rejected <= 45


def test_ignoring_clusters_would_reject_far_too_often():
    rng = np.random.default_rng(5)
    rejected = 0
    for _ in range(60):
        gaps = np.repeat(rng.integers(0, 13, 40), 3)
        scores = np.repeat(rng.normal(size=40), 3) + 0.3 * rng.normal(size=120)
        rejected += length_effect(scores, gaps, permutations=99).permutation_p <= 0.05
    assert rejected > 10


def test_a_real_effect_is_seen_both_ways():
    gaps = np.tile([2.0, 9.0], 50)
    scores = np.where(gaps <= 6, 1.0, 0.0) + np.random.default_rng(0).normal(size=100)
    for clusters in (None, np.repeat(np.arange(50), 2)):
        found = length_effect(scores, gaps, clusters)
        assert found.permutation_p < 0.01
        assert found.difference > 0.5


def test_what_cannot_be_told_is_nan():
    for scores, gaps in [(np.ones(8), np.tile([1.0, 9.0], 4)), (np.arange(8.0), np.ones(8)), (np.zeros(0), np.zeros(0))]:
        found = length_effect(scores, gaps)
        assert np.isnan(found.welch_p)
        assert np.isnan(found.permutation_p)
    assert np.isnan(length_effect(np.arange(8.0), np.tile([1.0, 9.0], 4), np.zeros(8)).permutation_p)
