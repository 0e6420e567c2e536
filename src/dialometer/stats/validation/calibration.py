"""Calibration: the mean rating of items with similar predictions, and the regression line of ratings on predictions.

Items are put into bins of nearly equal size by their prediction; in each, the mean prediction stands beside the mean rating.
``human = intercept + slope · predicted`` by least squares: 0 and 1 where predictions are calibrated, a slope above 1 where they
keep too close to the middle (Cox 1958). ``error`` is the mean gap between the two, each bin counting by its size (the expected
calibration error of Naeini et al. 2015, for numbers instead of classes).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from dialometer.stats.correlation.weighted import both

BINS = 10
Z = 1.959963984540054


@dataclass(frozen=True)
class Bin:
    """Items scored between low and high: how many, mean prediction, mean rating and its 95% interval (NaN for one item)."""

    low: float
    high: float
    n: int
    predicted: float
    human: float
    human_low: float
    human_high: float


@dataclass(frozen=True)
class Calibration:
    """The bins, the line through all items, the mean gap, and sd(predicted) / sd(human)."""

    bins: tuple[Bin, ...]
    slope: float
    intercept: float
    error: float
    spread: float
    n: int


def calibration(predicted: np.ndarray, human: np.ndarray, bins: int = BINS) -> Calibration:
    """Over the items that have both numbers; equal predictions share a bin, so there may be fewer bins than asked for.

    >>> found = calibration(np.array([1.0, 2.0, 3.0, 4.0]), np.array([0.0, 2.0, 4.0, 6.0]), bins=2)
    >>> [(b.predicted, b.human) for b in found.bins], found.slope, found.spread
    ([(1.5, 1.0), (3.5, 5.0)], 2.0, 0.5)
    """
    x, y = np.asarray(predicted, float), np.asarray(human, float)
    rows = both(x, y)
    x, y = x[rows], y[rows]
    nan = float("nan")
    if not len(x):
        return Calibration((), nan, nan, nan, nan, 0)
    edges = np.unique(np.quantile(x, np.linspace(0, 1, bins + 1)))
    place = np.clip(np.searchsorted(edges, x, side="left") - 1, 0, max(len(edges) - 2, 0))
    made = tuple(_bin(x[place == number], y[place == number]) for number in np.unique(place))
    error = sum(one.n * abs(one.predicted - one.human) for one in made) / len(x)
    varies, below = float(x.var()), float(y.std())
    slope = float(((x - x.mean()) * (y - y.mean())).mean()) / varies if varies else nan
    spread = float(x.std()) / below if below else nan
    return Calibration(made, slope, float(y.mean() - slope * x.mean()), error, spread, len(x))


def _bin(x: np.ndarray, y: np.ndarray) -> Bin:
    half = Z * float(y.std(ddof=1)) / np.sqrt(len(y)) if len(y) > 1 else float("nan")
    mean = float(y.mean())
    return Bin(float(x.min()), float(x.max()), len(x), float(x.mean()), mean, float(mean - half), float(mean + half))
