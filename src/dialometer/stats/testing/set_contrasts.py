"""Two sides under a number of a whole set: the difference, with the spread it has when blocks of units are left out in turn.

The jackknife's standard error (``stats.resample``), and Student's t on g − 1 degrees of freedom, for blocks are few. For a mean
this is the t test of the blocks' means.
"""

from __future__ import annotations

from math import isnan

import numpy as np

from dialometer.stats.resample import jackknife_interval
from dialometer.stats.testing.contrasts import Contrast

Values = tuple[np.ndarray, np.ndarray]  # of the whole set (columns), and without each block of it (blocks × columns)


def set_contrasts(a: Values, b: Values, units: tuple[int, int], *, paired: bool) -> list[Contrast]:
    """a less b for each column; where they are paired, block i is the same units on both sides."""
    (whole_a, without_a), (whole_b, without_b) = a, b
    blocks = len(without_a), len(without_b)
    if paired:
        se, degrees = jackknife_error(without_a - without_b), np.full(len(whole_a), blocks[0] - 1.0)
    else:
        parts = [jackknife_error(without) ** 2 for without in (without_a, without_b)]
        se = np.sqrt(parts[0] + parts[1])
        with np.errstate(divide="ignore", invalid="ignore"):
            own = [part**2 / max(g - 1, 1) for part, g in zip(parts, blocks, strict=True)]
            degrees = se**4 / (own[0] + own[1])
    columns = zip(whole_a.tolist(), whole_b.tolist(), se.tolist(), degrees.tolist(), strict=True)
    return [_contrast(*column, units, paired) for column in columns]


def jackknife_error(without: np.ndarray) -> np.ndarray:
    """The standard error of each column; NaN for fewer than two blocks."""
    nothing = np.zeros(without.shape[1:])
    return jackknife_interval(nothing, without, z=1.0)[1] if len(without) > 1 else nothing + np.nan


def _contrast(x: float, y: float, se: float, degrees: float, units: tuple[int, int], paired: bool) -> Contrast:
    from scipy import stats

    d, nan = x - y, float("nan")
    if isnan(d) or isnan(se):
        half = p = nan
    elif se == 0:  # nothing varies: equal sides are equal, and of others there is nothing to test
        half, p = 0.0, 1.0 if d == 0 else nan
    else:
        half, p = float(stats.t.ppf(0.975, degrees)) * se, float(2 * stats.t.sf(abs(d) / se, degrees))
    return Contrast(paired, *units, x, y, d, d - half, d + half, nan, "", nan, p, "jackknife")
