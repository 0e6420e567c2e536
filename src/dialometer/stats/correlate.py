"""Correlation with its interval: Pearson and Spearman, resampled by whole clusters.

A resample is a weight per item, so all of them are matrix products over weighted moments; Spearman ranks every resample anew.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from dialometer.stats.resample import bootstrap_weights

PIECE = 1 << 22  # numbers held at once while resampling


@dataclass(frozen=True)
class Correlation:
    """A coefficient, its two-sided p-value, its 95% interval, and the pairs behind it."""

    r: float
    p: float
    low: float
    high: float
    n: int


def pearson(x: np.ndarray, y: np.ndarray) -> float:
    """Pearson's r; NaN where a side is constant, or empty.

    >>> pearson(np.array([1.0, 2.0, 3.0]), np.array([2.0, 4.0, 6.0]))
    1.0
    """
    if not len(x):
        return float("nan")
    return float(_weighted(np.ones((1, len(x))), np.asarray(x, float), np.asarray(y, float))[0])


def spearman(x: np.ndarray, y: np.ndarray) -> float:
    """Spearman's ρ with ties at their mean rank."""
    if not len(x):
        return float("nan")
    return pearson(_ranks(np.ones((1, len(x))), x)[0], _ranks(np.ones((1, len(y))), y)[0])


def correlate(
    x: np.ndarray,
    y: np.ndarray,
    clusters: np.ndarray | None = None,
    *,
    kind: str = "pearson",
    resamples: int = 1000,
    seed: int = 0,
) -> Correlation:
    """A correlation over the pairs that have both numbers, with a bootstrap over clusters (items, where none are given)."""
    from scipy import stats

    x, y = np.asarray(x, float), np.asarray(y, float)
    both = ~(np.isnan(x) | np.isnan(y))
    own = np.arange(len(x)) if clusters is None else clusters
    x, y, own = x[both], y[both], np.unique(own[both], return_inverse=True)[1]
    r = (pearson if kind == "pearson" else spearman)(x, y)
    n = len(x)
    if n < 3 or np.isnan(r):  # too few to tell, or a side that does not vary
        return Correlation(r, float("nan"), float("nan"), float("nan"), n)
    t = r * np.sqrt((n - 2) / max(1 - r * r, 1e-300))
    low = high = float("nan")
    if resamples and own.max() > 0:  # one cluster tells nothing of the spread
        draws = draw_correlations([x], y, own, kind=kind, resamples=resamples, seed=seed)[:, 0]
        low, high = np.nanquantile(draws, [0.025, 0.975])
    return Correlation(r, float(2 * stats.t.sf(abs(t), n - 2)), float(low), float(high), n)


def draw_correlations(
    columns: list[np.ndarray], y: np.ndarray, clusters: np.ndarray, *, kind: str, resamples: int, seed: int
) -> np.ndarray:
    """(resamples, columns): the correlation of each column with y in the same resamples, so that differences are paired."""
    codes = np.unique(clusters, return_inverse=True)[1]
    weights = bootstrap_weights(int(codes.max()) + 1, resamples, seed)
    piece = max(1, PIECE // len(y))
    draws = np.empty((resamples, len(columns)))
    for start in range(0, resamples, piece):
        part = weights[start : start + piece][:, codes]
        target = _ranks(part, y) if kind == "spearman" else y
        for number, column in enumerate(columns):
            draws[start : start + piece, number] = _weighted(
                part, _ranks(part, column) if kind == "spearman" else column, target
            )
    return draws


def _ranks(weights: np.ndarray, values: np.ndarray) -> np.ndarray:
    """Mean ranks of the values in each resample, where item i occurs ``weights[…, i]`` times."""
    _, codes = np.unique(values, return_inverse=True)
    order = np.argsort(codes, kind="stable")
    starts = np.searchsorted(codes[order], np.arange(codes.max() + 1))
    tied = np.add.reduceat(weights[:, order], starts, axis=1)
    below = np.cumsum(tied, axis=1) - tied
    return np.asarray((below + (tied + 1) / 2)[:, codes])


def _weighted(weights: np.ndarray, x: np.ndarray, y: np.ndarray) -> np.ndarray:
    """Pearson's r under each row of weights; x and y are one row each, or one per row of weights."""
    total = weights.sum(axis=1)
    varies = _varies(weights, x) & _varies(weights, y)
    x = x - ((weights * x).sum(axis=1) / total)[:, None]
    y = y - ((weights * y).sum(axis=1) / total)[:, None]
    with np.errstate(divide="ignore", invalid="ignore"):
        r = (weights * x * y).sum(axis=1) / np.sqrt((weights * x * x).sum(axis=1) * (weights * y * y).sum(axis=1))
    return np.where(varies, np.clip(r, -1, 1), np.nan)


def _varies(weights: np.ndarray, values: np.ndarray) -> np.ndarray:
    """Whether the values of a resample differ at all."""
    drawn = weights > 0
    return np.asarray(np.where(drawn, values, -np.inf).max(axis=1) > np.where(drawn, values, np.inf).min(axis=1))
