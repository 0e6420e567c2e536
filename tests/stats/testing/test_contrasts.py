"""Contrasts: tests against scipy, intervals by simulated coverage."""

import math

import numpy as np
import pytest
from scipy import stats

from dialometer.stats.testing.contrasts import mean_interval, paired_contrast, unpaired_contrast, welch_p


def sides(seed, n, m, shift=0.0):
    rng = np.random.default_rng(seed)
    return rng.normal(shift, 1, n), rng.normal(0, 2, m)


def test_welch_as_scipy_has_it():
    for seed in range(4):
        a, b = sides(seed, 12, 30, 0.5)
        assert welch_p(a, b) == pytest.approx(stats.ttest_ind(a, b, equal_var=False).pvalue)
    assert welch_p(np.ones(4), np.ones(3)) == 1
    assert math.isnan(welch_p(np.ones(4), np.zeros(3)))
    assert math.isnan(welch_p(np.ones(1), np.zeros(3)))


def test_ranks_as_scipy_has_them():
    a, b = sides(1, 25, 25, 0.7)
    paired, unpaired = paired_contrast(a, b, test="rank"), unpaired_contrast(a, b, test="rank")
    assert (paired.test, paired.p) == ("Wilcoxon", pytest.approx(stats.wilcoxon(a, b).pvalue))
    assert (unpaired.test, unpaired.p) == ("Mann-Whitney", pytest.approx(stats.mannwhitneyu(a, b).pvalue))
    assert paired_contrast(a, a, test="rank").p == unpaired_contrast(np.ones(3), np.ones(4), test="rank").p == 1


def test_units_that_lack_a_side_are_left_out():
    a, b = np.array([1.0, 2.0, np.nan, 4.0]), np.array([0.0, np.nan, 3.0, 1.0])
    found = paired_contrast(a, b)
    assert (found.n_a, found.n_b, found.mean_a, found.mean_b, found.difference) == (2, 2, 2.5, 0.5, 2.0)
    other = unpaired_contrast(a, b)
    assert (other.n_a, other.n_b, other.paired, other.measure) == (3, 3, False, "g")
    assert other.difference == pytest.approx(7 / 3 - 4 / 3)


def test_identical_sides_do_not_differ():
    a, _ = sides(0, 20, 1)
    found = paired_contrast(a, a)
    assert (found.difference, found.low, found.high, found.effect, found.superiority, found.p) == (0, 0, 0, 0, 0.5, 1)


def test_too_little_has_no_number():
    found = paired_contrast(np.array([1.0]), np.array([0.0]))
    assert found.difference == 1
    assert all(math.isnan(x) for x in (found.low, found.high, found.effect, found.p))
    nothing = unpaired_contrast(np.array([np.nan]), np.array([1.0, 2.0]))
    assert nothing.n_a == 0
    assert math.isnan(nothing.difference)
    assert all(map(math.isnan, mean_interval(np.ones(1))))


@pytest.mark.parametrize("paired", [True, False])
def test_intervals_hold_the_truth_about_as_often_as_they_say(paired):
    rng = np.random.default_rng(3)
    runs, hits = 400, 0
    for _ in range(runs):
        shared = rng.normal(0, 2, 60) if paired else 0.0
        a, b = rng.normal(0.5, 1, 60) + shared, rng.normal(0, 1, 60) + shared
        found = (paired_contrast if paired else unpaired_contrast)(a, b, resamples=300)
        hits += found.low <= 0.5 <= found.high
    assert abs(hits / runs - 0.945) < 5 * math.sqrt(0.05 * 0.95 / runs)


def test_pairing_sees_what_lies_in_the_openers():
    rng = np.random.default_rng(4)
    shared = rng.normal(0, 5, 40)
    a, b = shared + 1 + rng.normal(0, 0.5, 40), shared + rng.normal(0, 0.5, 40)
    assert paired_contrast(a, b).p < 0.001 < 0.1 < unpaired_contrast(a, b).p
