"""The paired permutation test against scipy's, and its size by simulation."""

import math

import numpy as np
import pytest
from scipy import stats

from dialometer.stats.testing.contrasts import EXACT, sign_flip_p


def scipy_p(d):
    found = stats.permutation_test(
        (d,), lambda x, axis: x.sum(axis=axis), permutation_type="samples", n_resamples=np.inf, vectorized=True
    )
    return found.pvalue


@pytest.mark.parametrize("n", [3, 8, 12])
def test_all_signs_as_scipy_counts_them(n):
    for seed in range(3):
        d = np.random.default_rng(seed).normal(0.4, 1, n)
        assert sign_flip_p(d) == (pytest.approx(scipy_p(d)), True)


def test_ties_and_zeros():
    assert sign_flip_p(np.array([1.0, 1.0, -1.0, 0.0]))[0] == pytest.approx(scipy_p(np.array([1.0, 1.0, -1.0, 0.0])))
    assert sign_flip_p(np.array([0.1, 0.2, -0.3]))[0] == 1  # 0.1 + 0.2 − 0.3 is 0 but for rounding
    assert sign_flip_p(np.zeros(40)) == (1, True)
    assert math.isnan(sign_flip_p(np.zeros(0))[0])


def test_drawn_signs_come_near_and_keep_their_seed():
    d = np.random.default_rng(5).normal(0.5, 1, EXACT + 2)
    p, exact = sign_flip_p(d, permutations=20_000, seed=1)
    whole = scipy_p(d)  # 2¹⁸ signs
    assert not exact
    assert abs(p - whole) < 5 * math.sqrt(whole * (1 - whole) / 20_000)
    assert sign_flip_p(d, permutations=20_000, seed=1)[0] == p
    assert sign_flip_p(np.full(60, 1.0), permutations=99)[0] == 0.01  # never 0
    assert math.isnan(sign_flip_p(d, permutations=0)[0])


@pytest.mark.parametrize("n", [10, 30])
def test_one_in_twenty_when_nothing_differs(n):
    rng = np.random.default_rng(n)
    runs = 2000
    rejected = sum(sign_flip_p(d, permutations=499, seed=k)[0] <= 0.05 for k, d in enumerate(rng.standard_t(3, (runs, n))))
    assert abs(rejected / runs - 0.05) < 5 * math.sqrt(0.05 * 0.95 / runs)
