"""Coefficients under weights: what Pearson's r and Spearman's ρ are when units are repeated (τ: ``kendall``).

A resample is a weight per unit (a context, say), the same for all columns. Each class prepares its columns once and is then
called with blocks of weights, (resamples, units), to give (resamples, columns). A column is taken over the rows where both it and
the target have numbers; a coefficient is NaN where fewer than three rows are drawn or a side does not vary.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from dialometer.kernels.jit import run
from dialometer.kernels.ranks import level_weights, rank_products

LANES = 32  # resamples that a kernel takes at once
PIECE = 1 << 22  # weights held at once
MOMENTS = 6  # 1, x, y, x², y², xy

Weighted = Callable[[np.ndarray], np.ndarray]
Numbers = np.ndarray | float


def weight_blocks(units: int, resamples: int, seed: int) -> Iterator[np.ndarray]:
    """The rows of ``bootstrap_weights(units, resamples, seed)``, a bounded number at a time."""
    rng = np.random.default_rng(seed % 2**64)
    rows = min(max(4, PIECE // units), max(LANES, PIECE // units // LANES * LANES))
    for start in range(0, resamples, rows):
        block = np.empty((min(rows, resamples - start), units))
        for row in block:
            row[:] = np.bincount(rng.integers(0, units, units), minlength=units)
        yield block


@dataclass(frozen=True)
class Levels:
    """A column by its distinct values: each row's level, sorted rows, and where runs of equal values end."""

    level: np.ndarray
    count: int
    order: np.ndarray
    ends: np.ndarray

    @classmethod
    def of(cls, values: np.ndarray) -> Levels:
        """Number the distinct values from the lowest up."""
        distinct, level = np.unique(values, return_inverse=True)
        order = np.argsort(level, kind="stable")
        ends = np.cumsum(np.bincount(level, minlength=len(distinct)))
        return cls(level.astype(np.int32), len(distinct), order, ends.astype(np.int64))


def both(x: np.ndarray, y: np.ndarray) -> np.ndarray:
    """Rows where both have a number."""
    return np.flatnonzero(~(np.isnan(x) | np.isnan(y)))


def ratio(xy: Numbers, xx: Numbers, yy: Numbers, n: Numbers) -> np.ndarray:
    """``xy / √(xx · yy)`` within [−1, 1]; NaN where a side is constant or n < 3."""
    with np.errstate(divide="ignore", invalid="ignore"):
        r = np.clip(xy / np.sqrt(xx * yy), -1, 1)
    return np.where((np.asarray(xx) > 0) & (np.asarray(yy) > 0) & (np.asarray(n) >= 3), r, np.nan)


class WeightedPearson:
    """Pearson's r: moments summed per unit, one matrix product for all resamples and columns."""

    def __init__(self, columns: Sequence[np.ndarray], y: np.ndarray, units: np.ndarray, count: int) -> None:
        self.parts = [_unit_size(x, y, units) for x in columns]
        self.sums = np.zeros((count, MOMENTS * len(columns)))
        for number, (x, z, unit) in enumerate(self.parts):
            for place, values in enumerate((None, x, z, x * x, z * z, x * z)):
                self.sums[:, MOMENTS * number + place] = np.bincount(unit, values, minlength=count)

    def __call__(self, block: np.ndarray) -> np.ndarray:
        """Products of centred columns; where centring left no digits the items themselves are summed again."""
        n, x, y, xx, yy, xy = (block @ self.sums).reshape(len(block), -1, MOMENTS).transpose(2, 0, 1)
        with np.errstate(divide="ignore", invalid="ignore"):
            cxx, cyy, cxy = xx - x * x / n, yy - y * y / n, xy - x * y / n
            r = ratio(cxy, cxx, cyy, n)
            lost = (n >= 3) & ~((cxx > 1e-4 * xx) & (cyy > 1e-4 * yy))
        for number in np.flatnonzero(lost.any(axis=0)):
            rows = np.flatnonzero(lost[:, number])
            r[rows, number] = _two_passes(block, rows, *self.parts[number])
        return r


def _unit_size(x: np.ndarray, y: np.ndarray, units: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Both columns over their shared rows, centred and scaled so that squares neither vanish nor overflow."""
    rows = both(x, y)
    return standardise(x[rows]), standardise(y[rows]), units[rows]


def standardise(values: np.ndarray) -> np.ndarray:
    """Values centred, then divided by their spread; NaN throughout where one is infinite, 0 where all are equal."""
    if not len(values) or not np.isfinite(values).all():
        return np.full(len(values), np.nan)
    top = np.abs(values).max() or 1.0
    centred = values / top - np.mean(values / top)
    centred -= centred.mean()  # what rounding left of a mean far from 0
    spread = float(np.sqrt(np.mean(centred * centred)))
    return centred / spread if values.max() > values.min() and spread else np.zeros(len(values))


def level_out(means: np.ndarray) -> np.ndarray:
    """Means without their last digits, where the order of adding shows: equal means rank as equal."""
    top = float(np.fmax.reduce(np.abs(means), axis=None, initial=0.0)) or 1.0
    return np.asarray(np.round(means / top, 12) * top)


def _two_passes(block: np.ndarray, rows: np.ndarray, x: np.ndarray, y: np.ndarray, unit: np.ndarray) -> np.ndarray:
    """Pearson's r resample by resample, centred on each resample's own mean."""
    found = np.full(len(rows), np.nan)
    for place, row in enumerate(rows):
        drawn = block[row, unit]
        seen = drawn > 0
        if seen.any() and np.ptp(x[seen]) > 0 and np.ptp(y[seen]) > 0:
            cx, cy = (v - np.average(v, weights=drawn) for v in (x, y))
            xy, xx, yy = ((drawn * a * b).sum() for a, b in ((cx, cy), (cx, cx), (cy, cy)))
            found[place] = ratio(xy, xx, yy, drawn.sum())
    return found


class WeightedSpearman:
    """Spearman's ρ: ranks are recomputed in each resample, by a running sum of weights along each sorted column."""

    def __init__(self, columns: Sequence[np.ndarray], y: np.ndarray, units: np.ndarray, count: int) -> None:
        del count
        units = units.astype(np.int32)
        self.sides: dict[bytes, tuple[np.ndarray, Levels]] = {}  # the target's levels by the rows they rest on
        self.parts = []
        for x in columns:
            rows = both(x, y)
            key = rows.tobytes()
            if key not in self.sides:
                self.sides[key] = units[rows], Levels.of(y[rows])
            own = Levels.of(x[rows])
            self.parts.append((key, units[rows][own.order], self.sides[key][1].level[own.order], own.ends))

    def __call__(self, block: np.ndarray) -> np.ndarray:
        """LANES resamples at a time."""
        return np.concatenate([self._lanes(block[at : at + LANES]) for at in range(0, len(block), LANES)])

    def _lanes(self, block: np.ndarray) -> np.ndarray:
        lanes = len(block)
        weights = np.ascontiguousarray(block.T).reshape(-1)
        sides = {key: _centred_ranks(weights, lanes, *side) for key, side in self.sides.items()}
        found = np.empty((lanes, len(self.parts)))
        for number, (key, unit, level, ends) in enumerate(self.parts):
            ranks, yy, n = sides[key]
            xy, xx, *scratch = np.zeros((5, lanes))
            run(
                rank_products,
                weights,
                unit,
                level,
                ends,
                ranks,
                n / 2,
                lanes,
                xy,
                xx,
                *scratch,
                steps=4 * lanes * len(unit),
            )
            found[:, number] = ratio(xy, xx, yy, n)
        return found


def _centred_ranks(
    weights: np.ndarray, lanes: int, unit: np.ndarray, side: Levels
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The target's mean rank by level and lane less the mean of all, its sum of squares, and the rows drawn."""
    flat = np.zeros(side.count * lanes)
    run(level_weights, weights, unit, side.level, lanes, flat, steps=lanes * len(unit))
    tied = flat.reshape(side.count, lanes)
    n = tied.sum(axis=0)
    ranks = np.cumsum(tied, axis=0) - tied / 2 - n / 2
    return ranks.reshape(-1), (tied * ranks * ranks).sum(axis=0), n
