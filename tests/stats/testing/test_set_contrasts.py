"""Numbers of whole sets: for a mean, leaving blocks out is the t test of the blocks, which scipy knows."""

import math

import numpy as np
import pytest
from scipy import stats

from dialometer.stats.testing.set_contrasts import jackknife_error, set_contrasts


def values(blocks):
    """The mean of equal blocks, and without each of them."""
    whole = np.array([blocks.mean()])
    return whole, np.array([[np.delete(blocks, i).mean()] for i in range(len(blocks))])


def test_of_a_mean_it_is_students_t():
    rng = np.random.default_rng(0)
    a, b = rng.normal(0.5, 1, 12), rng.normal(0, 2, 12)
    (paired,) = set_contrasts(values(a), values(b), (12, 12), paired=True)
    known = stats.ttest_rel(a, b)
    assert paired.p == pytest.approx(known.pvalue)
    assert (paired.low, paired.high) == pytest.approx(tuple(known.confidence_interval()))
    (apart,) = set_contrasts(values(a), values(b[:7]), (12, 7), paired=False)
    assert apart.p == pytest.approx(stats.ttest_ind(a, b[:7], equal_var=False).pvalue)
    assert (apart.n_a, apart.n_b, apart.test, apart.measure) == (12, 7, "jackknife", "")


def test_nothing_to_test():
    same = values(np.full(5, 2.0))
    (equal,) = set_contrasts(same, same, (5, 5), paired=True)
    assert (equal.difference, equal.p) == (0, 1)
    (other,) = set_contrasts(same, values(np.full(5, 3.0)), (5, 5), paired=False)
    assert other.difference == -1
    assert math.isnan(other.p)
    one = (np.array([1.0]), np.zeros((1, 1)))
    assert math.isnan(set_contrasts(one, one, (1, 1), paired=True)[0].p)
    assert np.isnan(jackknife_error(np.zeros((1, 3)))).all()
    gone = (np.array([np.nan]), np.full((4, 1), np.nan))
    assert math.isnan(set_contrasts(gone, same, (4, 5), paired=False)[0].difference)
