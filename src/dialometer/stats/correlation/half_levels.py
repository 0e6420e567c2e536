"""Half against half under weights of clusters: item by item, and system by system."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from dialometer.stats.correlation.kendall import WeightedKendall
from dialometer.stats.correlation.row_correlations import row_correlations
from dialometer.stats.correlation.weighted import Weighted, WeightedPearson, WeightedSpearman

WEIGHTED: dict[str, Callable[[Sequence[np.ndarray], np.ndarray, np.ndarray, int], Weighted]] = {
    "pearson": WeightedPearson,
    "spearman": WeightedSpearman,
    "kendall": WeightedKendall,
}
KINDS = tuple(WEIGHTED)
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
        """Mean noise over items, in units of one judgement's."""
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
