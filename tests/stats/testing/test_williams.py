"""Williams' test: cases printed by R packages, size and power by simulation, metrics that are the same."""

import numpy as np
import pytest

from dialometer.stats.correlation.correlate import pearson
from dialometer.stats.testing.williams import williams, williams_r


@pytest.mark.parametrize(
    ("r12", "r13", "r23", "n", "t", "p"),
    [
        (0.4, 0.5, 0.1, 103, -0.89, 0.37),  # psych, documented example of r.test: Steiger's case A
        (0.5447, 0.8, 0.0729, 70, -2.8114, 0.0065),  # cocor's williams1959, a printed run; r is rounded to 4 digits there
        (0.8066, 0.2383, 0.2255, 177, 9.3823, 0.0),  # another
    ],
)
def test_printed_by_r(r12, r13, r23, n, t, p):
    found = williams_r(r12, r13, r23, n)
    assert found.t == pytest.approx(t, abs=0.005)
    assert found.p == pytest.approx(p, abs=0.005)


def test_as_psych_has_it():
    """Columns of 45 random numbers; p-values of psych's r.test as kept in the tests of nlpstats (Deutsch), which, like WMT's
    scripts, takes correlations without their sign."""
    rng = np.random.RandomState(12)
    a, b, y = (rng.random_sample(45) for _ in range(3))
    one, other, between = abs(pearson(a, y)), abs(pearson(b, y)), abs(pearson(a, b))
    assert williams_r(one, other, between, 45).p == pytest.approx(0.5433956, abs=1e-6)
    assert williams_r(other, one, between, 45).p == pytest.approx(0.5433956, abs=1e-6)
    assert williams_r(one, other, between, 45, "greater").p == pytest.approx(0.2716978, abs=1e-6)
    assert williams_r(other, one, between, 45, "greater").p == pytest.approx(1 - 0.2716978, abs=1e-6)
    assert williams_r(one, other, between, 45, "less").p == pytest.approx(1 - 0.2716978, abs=1e-6)
    assert williams(a, b, y) == williams_r(pearson(a, y), pearson(b, y), pearson(a, b), 45)


def test_the_same_metric_twice_and_rescaled():
    x, y = np.random.default_rng(0).normal(size=(2, 30))
    for other in (x, 3 * x - 7):
        assert williams(x, other, y).p == 1.0
    assert williams(x, x, y).difference == 0


def rejections(gain, worlds=2000, n=40, seed=0):
    """How often two metrics of an equal (gain 0) or unequal worth are told apart at 5%."""
    rng = np.random.default_rng(seed)
    count = 0
    for _ in range(worlds):
        y, shared, one, other = rng.normal(size=(4, n))
        count += williams((0.5 + gain) * y + shared + one, 0.5 * y + shared + other, y).p < 0.05
    return count / worlds


def test_size_and_power():
    """2,000 worlds: at a true size of 5% the rate has a standard error of 0.0049, and leaves [0.025, 0.077] (5 of them and more)
    less than once in a million; power must grow by far more than its error (0.011)."""
    size, some, much = rejections(0), rejections(0.4), rejections(0.8)
    assert 0.025 <= size <= 0.077
    assert size + 0.1 < some < much - 0.1


@pytest.mark.parametrize("spoil", ["constant", "missing", "short"])
def test_undefined_is_nan(spoil):
    a, b, y = np.random.default_rng(0).normal(size=(3, 12))
    if spoil == "constant":
        a[:] = 2.0
    if spoil == "missing":
        y[:] = np.nan
    found = williams(a[:3], b[:3], y[:3]) if spoil == "short" else williams(a, b, y)
    assert np.isnan(found.p)
    assert found.n == {"constant": 12, "missing": 0, "short": 3}[spoil]


def test_opposite_metrics_leave_the_formula_undefined():
    x, y = np.random.default_rng(0).normal(size=(2, 30))
    assert np.isnan(williams(x, -x, y).p)
