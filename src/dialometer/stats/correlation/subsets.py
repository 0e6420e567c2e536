"""Correlation within random subsets of 100 items (Lowe et al. 2017, footnote 4, on Galley et al. 2015)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from dialometer.core.errors import UsageError
from dialometer.stats.resample import seed_for

PIECE = 1 << 22  # numbers held at once


@dataclass(frozen=True)
class Subsets:
    """The correlation inside subsets: mean, standard deviation and middle 95%; and that of the subsets' means.

    ``defined`` counts the subsets in which both sides vary; the spread is that of subsets, not the error of the whole.
    """

    mean: float
    sd: float
    low: float
    high: float
    of_means: float
    defined: int
    subsets: int
    size: int
    n: int


def over_subsets(
    x: np.ndarray, y: np.ndarray, *, size: int = 100, subsets: int = 1000, kind: str = "pearson", seed: int = 0
) -> Subsets:
    """Draw subsets without replacement and correlate in each; NaN where there are no more items than a subset holds."""
    if size < 3 or subsets < 2 or kind not in ("pearson", "spearman"):
        raise UsageError(
            "2 subsets or more of 3 items or more are correlated by pearson or spearman", "size=100, subsets=1000"
        )
    x, y = np.asarray(x, float), np.asarray(y, float)
    both = ~(np.isnan(x) | np.isnan(y))
    x, y = x[both], y[both]
    nan = float("nan")
    if len(x) <= size:
        return Subsets(nan, nan, nan, nan, nan, 0, subsets, size, len(x))
    rng = np.random.default_rng(seed_for(seed, "subsets"))
    piece = max(1, PIECE // len(x))
    parts = []
    for start in range(0, subsets, piece):
        keys = rng.random((min(piece, subsets - start), len(x)))
        rows = np.argpartition(keys, size, axis=1)[:, :size]
        parts.append(np.stack([_rowwise(x[rows], y[rows], kind), x[rows].mean(axis=1), y[rows].mean(axis=1)]))
    draws, x_means, y_means = np.concatenate(parts, axis=1)
    between = float(_rowwise(x_means[None], y_means[None], kind)[0])
    seen = draws[~np.isnan(draws)]
    if len(seen) < 2:
        return Subsets(nan, nan, nan, nan, between, len(seen), subsets, size, len(x))
    low, high = np.quantile(seen, [0.025, 0.975])
    return Subsets(
        float(seen.mean()), float(seen.std(ddof=1)), float(low), float(high), between, len(seen), subsets, size, len(x)
    )


def _rowwise(x: np.ndarray, y: np.ndarray, kind: str) -> np.ndarray:
    """The correlation of each row of x with the same row of y; NaN where one is constant."""
    if kind == "spearman":
        from scipy.stats import rankdata

        x, y = rankdata(x, axis=1), rankdata(y, axis=1)
    varies = (np.ptp(x, axis=1) > 0) & (np.ptp(y, axis=1) > 0)
    x, y = x - x.mean(axis=1, keepdims=True), y - y.mean(axis=1, keepdims=True)
    with np.errstate(divide="ignore", invalid="ignore"):
        r = (x * y).sum(axis=1) / np.sqrt((x * x).sum(axis=1) * (y * y).sum(axis=1))
    return np.where(varies, np.clip(r, -1, 1), np.nan)
