"""Calibration against scikit-learn's curve and scipy's line."""

import numpy as np
import pytest
from scipy import stats

from dialometer.stats.validation.calibration import calibration


def drawn(n=503, seed=3):
    rng = np.random.default_rng(seed)
    x = rng.normal(3, 0.4, n)
    return x, 2 * x - 3 + rng.normal(0, 0.5, n)


def test_bins_as_scikit_learn_has_them():
    curve = pytest.importorskip("sklearn.calibration").calibration_curve
    x = np.random.default_rng(0).random(400)
    y = (np.random.default_rng(1).random(400) < x).astype(float)
    human, predicted = curve(y, x, n_bins=10, strategy="quantile")
    found = calibration(x, y)
    assert [one.predicted for one in found.bins] == pytest.approx(predicted.tolist())
    assert [one.human for one in found.bins] == pytest.approx(human.tolist())


def test_line_and_spread():
    x, y = drawn()
    found = calibration(x, y)
    line = stats.linregress(x, y)
    assert (found.slope, found.intercept) == pytest.approx((line.slope, line.intercept))
    assert found.spread == pytest.approx(x.std() / y.std())
    assert sum(one.n for one in found.bins) == len(x)
    assert max(one.n for one in found.bins) - min(one.n for one in found.bins) <= 1
    gaps = [one.n * abs(one.predicted - one.human) for one in found.bins]
    assert found.error == pytest.approx(sum(gaps) / len(x))


def test_intervals_are_those_of_a_mean():
    x, y = drawn()
    first = calibration(x, y).bins[0]
    own = y[(x >= first.low) & (x <= first.high)]
    assert len(own) == first.n
    half = stats.norm.ppf(0.975) * stats.sem(own)
    assert (first.human_low, first.human_high) == pytest.approx((own.mean() - half, own.mean() + half))


def test_equal_predictions_share_a_bin():
    found = calibration(np.array([1.0] * 6 + [2.0] * 2), np.arange(8.0), bins=4)
    assert [one.n for one in found.bins] == [6, 2]
    still = calibration(np.ones(5), np.arange(5.0))
    assert [one.n for one in still.bins] == [5]
    assert np.isnan(still.slope)


def test_missing_numbers_are_left_out():
    found = calibration(np.array([1.0, np.nan, 3.0]), np.array([np.nan, 1.0, 2.0]))
    assert found.n == 1
    assert np.isnan(found.bins[0].human_low)
    assert calibration(np.full(3, np.nan), np.ones(3)).bins == ()
