"""Half against half under weights of clusters: item by item, and system by system."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from dialometer.stats.correlation.kendall import WeightedKendall
from dialometer.stats.correlation.weighted import Weighted, WeightedPearson, WeightedSpearman

WEIGHTED: dict[str, Callable[[Sequence[np.ndarray], np.ndarray, np.ndarray, int], Weighted]] = {
    "pearson": WeightedPearson,
    "spearman": WeightedSpearman,
    "kendall": WeightedKendall,
}
KINDS = tuple(WEIGHTED)
PIECE = 1 << 22  # comparisons held at once
Shares = tuple[float, float, float]  # noise in the mean of the first half, of the second, and of all


class ItemLevel:
    """Item level: half means as they are."""

    name = "item"

    def __init__(self, own: np.ndarray, groups: int) -> None:
        self.own, self.groups, self.n = own, groups, len(own)

    def correlate(self, first: np.ndarray, second: np.ndarray, weights: np.ndarray, kinds: Sequence[str]) -> np.ndarray:
        """(kinds, rows of weights)."""
        return np.stack([WEIGHTED[kind]([first], second, self.own, self.groups)(weights)[:, 0] for kind in kinds])

    def shares(self, sizes: np.ndarray) -> Shares:
        """Mean noise over items, in units of one rating's."""
        small, large, whole = (float((1 / part).mean()) for part in (sizes // 2, sizes - sizes // 2, sizes))
        return small, large, whole


class SystemLevel:
    """System level: half means averaged over the items of each system."""

    name = "system"

    def __init__(self, own: np.ndarray, groups: int, systems: np.ndarray) -> None:
        self.rows = np.flatnonzero(systems >= 0)
        self.system = np.unique(systems[self.rows], return_inverse=True)[1]
        self.n = len(np.unique(self.system))
        self.cell, self.shape = own[self.rows] * self.n + self.system, (groups, self.n)
        self.counts = self._table(np.ones(len(systems)))

    def _table(self, values: np.ndarray) -> np.ndarray:
        """(clusters, systems): sums."""
        return np.bincount(self.cell, values[self.rows], self.shape[0] * self.n).reshape(self.shape)

    def correlate(self, first: np.ndarray, second: np.ndarray, weights: np.ndarray, kinds: Sequence[str]) -> np.ndarray:
        """(kinds, rows of weights); a system that a resample does not draw is left out of it."""
        with np.errstate(invalid="ignore"):
            x, y = (weights @ self._table(half) / (weights @ self.counts) for half in (first, second))
        return np.stack([row_correlations(x, y, kind) for kind in kinds])

    def shares(self, sizes: np.ndarray) -> Shares:
        """Mean noise over systems: that of a system's mean is the mean of its items' over their number."""
        n = np.bincount(self.system)
        parts = (1 / part[self.rows] for part in (sizes // 2, sizes - sizes // 2, sizes))
        small, large, whole = (float((np.bincount(self.system, part) / n**2).mean()) for part in parts)
        return small, large, whole


def row_correlations(x: np.ndarray, y: np.ndarray, kind: str = "pearson") -> np.ndarray:
    """(rows,): Pearson's r, Spearman's ρ or Kendall's τ-b of x and y, both (rows, columns), over columns that have both numbers.

    NaN where a side does not vary or fewer than three columns are left. Ranks are halved sums of the signs of differences, and
    τ-b is the cosine of these signs.

    >>> x, y = np.array([[1.0, 2.0, 4.0]]), np.array([[1.0, 3.0, 2.0]])
    >>> [round(float(row_correlations(x, y, kind)[0]), 4) for kind in ("pearson", "spearman", "kendall")]
    [0.3273, 0.5, 0.3333]
    """
    absent = np.isnan(x) | np.isnan(y)
    x, y = np.where(absent, np.nan, x), np.where(absent, np.nan, y)
    if kind != "pearson":
        step = max(1, PIECE // max(x.shape[1], 1) ** 2)
        pieces = [_rank_cosine(x[at : at + step], y[at : at + step], kind) for at in range(0, len(x), step)]
        cosines = np.concatenate(pieces) if pieces else np.zeros(0)
    else:
        cosines = _cosine(*(_centre(side, absent) for side in (x, y)))
    enough = (~absent).sum(axis=1) > 2
    return np.where(enough & _varies(x) & _varies(y), np.clip(cosines, -1, 1), np.nan)


def _rank_cosine(x: np.ndarray, y: np.ndarray, kind: str) -> np.ndarray:
    signs = [np.nan_to_num(np.sign(side[:, :, None] - side[:, None, :])) for side in (x, y)]
    if kind == "kendall":
        return _cosine(*(sign.reshape(len(x), -1) for sign in signs))
    return _cosine(*(sign.sum(axis=2) for sign in signs))  # twice the rank less its mean


def _centre(values: np.ndarray, absent: np.ndarray) -> np.ndarray:
    n = np.maximum((~absent).sum(axis=1, keepdims=True), 1)
    mean = np.nansum(values, axis=1, keepdims=True) / n
    return np.asarray(np.where(absent, 0.0, values - mean))


def _cosine(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.asarray((a * b).sum(axis=1) / np.sqrt((a * a).sum(axis=1) * (b * b).sum(axis=1)))


def _varies(values: np.ndarray) -> np.ndarray:
    return np.asarray(
        np.where(np.isnan(values), -np.inf, values).max(axis=1, initial=-np.inf)
        > np.where(np.isnan(values), np.inf, values).min(axis=1, initial=np.inf)
    )
