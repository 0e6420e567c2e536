"""Differences of two metrics' correlations after swapping some of their items, for many swaps and pairs at once.

Each class takes standardised scores (items, metrics), the ratings, and pairs of metrics; called with swaps (permutations, items)
of 0 and 1, it gives (permutations, pairs). A swap is linear in moments, ``Σa'y = Σay + Σ m (b − a) y``: for Pearson, and for means
of systems, one matrix product serves all pairs. Ranks of items are recomputed along both columns' values in one sorted row.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from dialometer.kernels.jit import run
from dialometer.kernels.kendall import swapped_concordance
from dialometer.kernels.ranks import swapped_rank_products
from dialometer.stats.correlation.weighted import LANES, Levels, level_out, ratio, standardise
from dialometer.stats.testing.permutation import mean_ranks

Differences = Callable[[np.ndarray], np.ndarray]


class SwappedPearson:
    """Pearson's r over items."""

    def __init__(self, scores: np.ndarray, y: np.ndarray, pairs: np.ndarray) -> None:
        self.y = standardise(y)
        self.terms = np.concatenate([scores, scores**2, scores * self.y[:, None]], axis=1)
        self.pairs = pairs

    def __call__(self, swaps: np.ndarray) -> np.ndarray:
        """Sums of the chosen items move from one metric of a pair to the other."""
        a, b = self.pairs.T
        n, yy = np.asarray(len(self.y)), self.y @ self.y
        whole = self.terms.sum(axis=0).reshape(3, -1)
        moved = (swaps @ self.terms).reshape(len(swaps), 3, -1).transpose(1, 0, 2)
        moved = moved[:, :, b] - moved[:, :, a]
        r = []
        for side, sign in ((a, 1), (b, -1)):
            total, squares, products = whole[:, None, side] + sign * moved
            r.append(ratio(products, squares - total * total / n, yy, n))
        return np.asarray(r[0] - r[1])


class SwappedSpearman:
    """Spearman's ρ over items; the ratings' ranks are fixed."""

    def __init__(self, scores: np.ndarray, y: np.ndarray, pairs: np.ndarray) -> None:
        self.ranks = mean_ranks(y) - (len(y) + 1) / 2
        self.rows = [_one_row(scores, pair) for pair in pairs]

    def __call__(self, swaps: np.ndarray) -> np.ndarray:
        """LANES permutations at a time."""
        return np.concatenate([self._lanes(swaps[at : at + LANES]) for at in range(0, len(swaps), LANES)])

    def _lanes(self, swaps: np.ndarray) -> np.ndarray:
        lanes, n = swaps.shape
        flat = np.ascontiguousarray(swaps.T).reshape(-1)
        yy, size = self.ranks @ self.ranks, np.asarray(n)
        found = np.empty((lanes, len(self.rows)))
        for number, row in enumerate(self.rows):
            ay, aa, by, bb, *scratch = np.zeros((7, lanes))
            out = (ay, aa, by, bb)
            inputs = (flat, row.order.astype(np.int32), row.ends, self.ranks, lanes)
            run(swapped_rank_products, *inputs, *out, *scratch, steps=12 * lanes * n)
            found[:, number] = ratio(ay, aa, yy, size) - ratio(by, bb, yy, size)
        return found


class SwappedKendall:
    """Kendall's τ-b over items; the ratings' levels are fixed."""

    def __init__(self, scores: np.ndarray, y: np.ndarray, pairs: np.ndarray) -> None:
        self.level = Levels.of(y)
        self.rows = [_one_row(scores, pair) for pair in pairs]

    def __call__(self, swaps: np.ndarray) -> np.ndarray:
        """LANES permutations at a time."""
        return np.concatenate([self._lanes(swaps[at : at + LANES]) for at in range(0, len(swaps), LANES)])

    def _lanes(self, swaps: np.ndarray) -> np.ndarray:
        lanes, n = swaps.shape
        levels = self.level.count
        flat = np.ascontiguousarray(swaps.T).reshape(-1)
        free = float(n * n - (np.diff(self.level.ends, prepend=0) ** 2).sum())
        found = np.empty((lanes, len(self.rows)))
        for number, row in enumerate(self.rows):
            a, aa, b, bb, *scratch = np.zeros((7, lanes))
            trees = np.empty((levels + 1) * lanes), np.empty(levels * lanes)
            inputs = (flat, row.order.astype(np.int32), self.level.level, row.ends, levels, lanes)
            both, own = np.empty(levels + 1), np.empty(lanes)
            run(swapped_concordance, *inputs, a, aa, b, bb, *trees, *scratch, both, own, steps=24 * lanes * n)
            found[:, number] = ratio(2 * a, n * n - aa, free, n) - ratio(2 * b, n * n - bb, free, n)
        return found


def _one_row(scores: np.ndarray, pair: np.ndarray) -> Levels:
    """Both columns' values in one: entry 2·item is a's, 2·item + 1 is b's."""
    return Levels.of(scores[:, pair].reshape(-1))


class SwappedSystems:
    """Any coefficient over means of systems, which are recomputed after each swap."""

    def __init__(self, scores: np.ndarray, y: np.ndarray, pairs: np.ndarray, systems: np.ndarray, kind: str) -> None:
        code = np.unique(systems, return_inverse=True)[1]
        self.rows = [np.flatnonzero(code == system) for system in range(int(code.max(initial=-1)) + 1)]
        self.scores, self.pairs, self.kind = scores, pairs, kind
        self.means = np.array([scores[rows].mean(axis=0) for rows in self.rows])
        self.y = level_out(np.array([y[rows].mean() for rows in self.rows]))

    def __call__(self, swaps: np.ndarray) -> np.ndarray:
        """(permutations, systems, pairs) of means, correlated along the systems."""
        a, b = self.pairs.T
        moved = np.stack([swaps[:, rows] @ self.scores[rows] / len(rows) for rows in self.rows], axis=1)
        moved = moved[:, :, b] - moved[:, :, a]
        return np.asarray(self._coefficient(self.means[:, a] + moved) - self._coefficient(self.means[:, b] - moved))

    def _coefficient(self, means: np.ndarray) -> np.ndarray:
        size = np.asarray(len(self.y))
        if self.kind != "pearson":
            means = level_out(means)
        if self.kind == "kendall":
            signs = np.sign(self.y[:, None] - self.y)
            s = tied = np.zeros(())
            for system in range(len(self.y)):
                each = np.sign(means[:, system, None] - means)
                s, tied = s + np.einsum("rsp,s->rp", each, signs[system]), tied + np.abs(each).sum(axis=1)
            return ratio(s, tied, np.abs(signs).sum(), size)
        if self.kind == "spearman":
            means = np.stack([np.sign(means[:, s, None] - means).sum(axis=1) for s in range(len(self.y))], axis=1)
        y = standardise(self.y) if self.kind == "pearson" else standardise(mean_ranks(self.y))
        centred = means - means.mean(axis=1, keepdims=True)
        varies = means.max(axis=1) > means.min(axis=1)
        xx = np.where(varies, (centred**2).sum(axis=1), 0.0)
        return ratio(np.einsum("rsp,s->rp", centred, y), xx, y @ y, size)
