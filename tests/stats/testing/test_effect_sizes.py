"""Effect sizes against worked examples and scipy."""

import math

import numpy as np
import pytest
from scipy import stats

from dialometer.stats.testing.effect_sizes import cohen_dz, hedges_g, paired_superiority, superiority


def exactly(mean, sd, n):
    """n values with just this mean and standard deviation."""
    shape = np.random.default_rng(0).normal(size=n)
    return mean + sd * (shape - shape.mean()) / shape.std(ddof=1)


def test_dz_by_hand():
    """Differences 1, 2, 3, 6: mean 3, sum of squares around it 4 + 1 + 0 + 9 = 14, sd √(14/3) = 2.1602."""
    assert cohen_dz(np.array([1.0, 2.0, 3.0, 6.0])) == pytest.approx(3 / math.sqrt(14 / 3))


def test_dz_is_the_paired_t_over_root_n():
    a, b = np.random.default_rng(1).normal(size=(2, 25))
    assert cohen_dz(a - b) == pytest.approx(stats.ttest_rel(a, b).statistic / 5)


def test_g_of_the_textbook():
    """Borenstein et al. 2009, Introduction to Meta-Analysis, ch. 4: 103 (sd 5.5) and 100 (4.5), 50 each: d .5970, g .5924."""
    g = hedges_g(exactly(103, 5.5, 50), exactly(100, 4.5, 50))
    assert g == pytest.approx(0.5924, abs=5e-5)
    assert hedges_g(exactly(100, 4.5, 50), exactly(103, 5.5, 50)) == pytest.approx(-g)


def test_small_samples_are_pulled_in():
    """Two of each: m = 2, J = Γ(1) / (√1 Γ(½)) = 1/√π."""
    assert hedges_g(np.array([2.0, 4.0]), np.array([0.0, 2.0])) == pytest.approx(math.sqrt(2 / math.pi))


def test_superiority_is_mann_and_whitneys_u():
    rng = np.random.default_rng(2)
    a, b = rng.integers(0, 6, 40).astype(float), rng.integers(1, 8, 33).astype(float)
    assert superiority(a, b) == pytest.approx(stats.mannwhitneyu(a, b).statistic / (40 * 33))
    assert superiority(a, b) + superiority(b, a) == pytest.approx(1)


def test_what_has_no_spread_has_no_size():
    same = np.full(5, 2.0)
    assert math.isnan(cohen_dz(same))
    assert cohen_dz(np.zeros(5)) == 0
    assert math.isnan(hedges_g(same, same + 1))
    assert hedges_g(same, same) == 0
    assert math.isnan(cohen_dz(np.array([3.0])))
    assert paired_superiority(same) == 1
    assert math.isnan(paired_superiority(np.zeros(0)))
    assert math.isnan(superiority(np.zeros(0), same))
