"""Means of systems with 90% and 95% intervals: t where items are independent, whole clusters resampled where they are not.

``mean ± t · sd / √n`` on n − 1 degrees of freedom, or the middle of the resampled means.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from dialometer.errors import UsageError
from dialometer.stats.resample import bootstrap_weights, percentile_interval, seed_for

LEVELS = (0.90, 0.95)


@dataclass(frozen=True)
class Mean:
    """A system's mean, its items' standard deviation, and an interval per level; NaN where there are too few to tell."""

    mean: float
    sd: float
    n: int
    clusters: int
    intervals: dict[float, tuple[float, float]]
    method: str  # t or bootstrap


def system_means(
    values: np.ndarray,
    systems: Sequence[str] | np.ndarray,
    clusters: np.ndarray | None = None,
    *,
    levels: Sequence[float] = LEVELS,
    resamples: int = 1000,
    seed: int = 0,
) -> dict[str, Mean]:
    """The mean of every system over its items that have a number, in the order of their names.

    A system with at most one item per cluster has independent items and gets t; the resamples of the others share their draws.
    """
    if not all(0 < level < 1 for level in levels):
        raise UsageError("the level of an interval lies between 0 and 1", "0.9 0.95")
    values = np.asarray(values, float)
    names, system = np.unique(np.asarray(systems), return_inverse=True)
    own = np.arange(len(values)) if clusters is None else np.unique(np.asarray(clusters), return_inverse=True)[1]
    known = ~np.isnan(values)
    x, s, c = values[known], system[known], own[known]
    shape = (len(names), int(c.max()) + 1 if len(c) else 1)
    cells = s * shape[1] + c
    counts = np.bincount(cells, minlength=shape[0] * shape[1]).reshape(shape)
    sums = np.bincount(cells, x, minlength=shape[0] * shape[1]).reshape(shape)
    clustered = counts.max(axis=1) > 1
    draws = np.empty((0, len(names)))
    if clustered.any() and resamples:
        weights = bootstrap_weights(shape[1], resamples, seed_for(seed, "system means"))
        with np.errstate(invalid="ignore", divide="ignore"):
            draws = (weights @ sums.T) / (weights @ counts.T)
    made = {}
    for number, name in enumerate(names):
        own_draws = draws[:, number] if clustered[number] else None
        made[str(name)] = _mean(x[s == number], int((counts[number] > 0).sum()), own_draws, levels)
    return made


def _mean(values: np.ndarray, clusters: int, draws: np.ndarray | None, levels: Sequence[float]) -> Mean:
    n, nan = len(values), float("nan")
    mean = float(values.mean()) if n else nan
    sd = float(values.std(ddof=1)) if n > 1 else nan
    intervals = dict.fromkeys(levels, (nan, nan))
    if draws is None and n > 1:
        from scipy import stats

        half = {level: float(stats.t.ppf((1 + level) / 2, n - 1)) * sd / np.sqrt(n) for level in levels}
        intervals = {level: (mean - width, mean + width) for level, width in half.items()}
    elif draws is not None and clusters > 1:
        for level in levels:
            low, high = percentile_interval(draws[:, None], level)
            intervals[level] = (float(low[0]), float(high[0]))
    return Mean(mean, sd, n, clusters, intervals, "t" if draws is None else "bootstrap")
