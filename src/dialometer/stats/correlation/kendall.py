"""Kendall's τ-b, plain and under weights.

``τ_b = (C − D) / √((n₀ − n₁)(n₀ − n₂))`` over C concordant and D discordant of n₀ pairs, n₁ and n₂ of them tied in one column
(Kendall 1945, "The treatment of ties in ranking problems").
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from dialometer.kernels.jit import run
from dialometer.kernels.kendall import concordance
from dialometer.stats.correlation.weighted import LANES, Levels, both, ratio


def kendall(x: np.ndarray, y: np.ndarray) -> float:
    """τ-b; NaN where a side is constant, a number is missing, or there are fewer than three pairs.

    >>> round(kendall(np.array([1.0, 2.0, 2.0, 3.0]), np.array([1.0, 3.0, 2.0, 4.0])), 4)
    0.9129
    """
    x, y = np.asarray(x, float), np.asarray(y, float)
    if len(x) < 3 or np.isnan(x).any() or np.isnan(y).any():
        return float("nan")
    s, free_x, free_y = kendall_sums(x, y)
    return float(ratio(np.asarray(s), np.asarray(free_x), np.asarray(free_y), np.asarray(len(x))))


def kendall_sums(x: np.ndarray, y: np.ndarray) -> tuple[float, float, float]:
    """Concordant less discordant pairs, pairs not tied in x, and pairs not tied in y."""
    one, other = Levels.of(x), Levels.of(y)
    sums = count_pairs(
        np.ones(len(x)), 1, np.arange(len(x), dtype=np.int32)[one.order], other.level[one.order], one.ends, other.count
    )
    s, tied, other_tied, n = (float(side[0]) for side in sums)
    return s, (n * n - tied) / 2, (n * n - other_tied) / 2


class WeightedKendall:
    """τ-b under weights: pairs counted along one column, over the levels of the one that has fewer."""

    def __init__(self, columns: Sequence[np.ndarray], y: np.ndarray, units: np.ndarray, count: int) -> None:
        del count
        units = units.astype(np.int32)
        self.parts = []
        for x in columns:
            rows = both(x, y)
            many, few = sorted((Levels.of(x[rows]), Levels.of(y[rows])), key=lambda side: -side.count)
            self.parts.append((units[rows][many.order], few.level[many.order], many.ends, few.count))

    def __call__(self, block: np.ndarray) -> np.ndarray:
        """LANES resamples at a time."""
        return np.concatenate([self._lanes(block[at : at + LANES]) for at in range(0, len(block), LANES)])

    def _lanes(self, block: np.ndarray) -> np.ndarray:
        """``n₀ − n₁ = (N² − Σt²)/2`` for N rows drawn and ties of total weight t."""
        weights = np.ascontiguousarray(block.T).reshape(-1)
        found = np.empty((len(block), len(self.parts)))
        for number, part in enumerate(self.parts):
            s, tied, other, n = count_pairs(weights, len(block), *part)
            found[:, number] = ratio(2 * s, n * n - tied, n * n - other, n)
        return found


def count_pairs(
    weights: np.ndarray, lanes: int, unit: np.ndarray, level: np.ndarray, ends: np.ndarray, levels: int
) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Per lane: C − D, Σt² of either column, and the rows drawn."""
    s, tied, other, n, *scratch = np.zeros((6, lanes))
    tree, at = np.empty((levels + 1) * lanes), np.empty(levels * lanes)
    out = (s, tied, other, n)
    run(concordance, weights, unit, level, ends, levels, lanes, *out, tree, at, *scratch, steps=12 * lanes * len(unit))
    return out
