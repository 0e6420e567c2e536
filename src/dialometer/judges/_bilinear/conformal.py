"""A calibrated interval with each score: how far ratings lie from scores that were made without them.

Residuals must come from folds that keep contexts whole. The half-width is the quantile of hierarchical conformal prediction (Lee,
Barber and Willett 2023, HCP): each of K contexts has weight 1/(K + 1), shared by its rows, and 1/(K + 1) lies at infinity for the
context to come. With one row in each context this is the usual ⌈(n + 1) · level⌉-th smallest of n. The guarantee for residuals
of one held-out part is ``level``; out-of-fold residuals, where each fold has its own model, promise 2 · level − 1 at worst and
about ``level`` in practice (Barber et al. 2021, theorem 4).
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from dialometer.core.errors import UsageError
from dialometer.judges._solvers.inner_folds import inner_folds, train_test_splits

_ROUNDING = 1e-9  # sums of weights miss whole numbers by less


def half_width(residuals: np.ndarray, level: float = 0.9, groups: Sequence[str] | np.ndarray | None = None) -> float:
    """The w for which ``score ± w`` holds the rating of an item of a new context with probability ``level``.

    Infinite where there are too few contexts for the level: it takes level/(1 − level) of them. NaN is no residual.

    >>> half_width(np.array([1.0, -2.0, 3.0, 4.0]), 0.6)
    3.0
    >>> half_width(np.array([1.0, 2.0, 9.0, 9.0, 9.0]), 0.6, ["a", "b", "c", "c", "c"])
    9.0
    """
    if not 0 < level < 1:
        raise UsageError(f"the level of an interval lies between 0 and 1, not {level}", "0.9, for nine in ten")
    known = ~np.isnan(residuals)
    sizes = np.abs(np.asarray(residuals, np.float64)[known])
    codes = np.arange(len(sizes)) if groups is None else np.unique(np.asarray(groups)[known], return_inverse=True)[1]
    rows = np.bincount(codes, minlength=1)
    order = np.argsort(sizes, kind="stable")
    reached = np.cumsum(1 / rows[codes[order]]) if len(sizes) else np.zeros(0)
    wanted = level * (np.count_nonzero(rows) + 1)
    place = int(np.searchsorted(reached, wanted - _ROUNDING))
    return float(sizes[order[place]]) if place < len(sizes) else float("inf")


def interval(scores: np.ndarray, half: float, low: float, high: float) -> tuple[np.ndarray, np.ndarray]:
    """Both ends of the interval of each score, no further than the rating scale goes; NaN for a score that is none.

    >>> [end.tolist() for end in interval(np.array([2.0, 4.5]), 1.0, 1.0, 5.0)]
    [[1.0, 3.5], [3.0, 5.0]]
    """
    return np.clip(scores - half, low, high), np.clip(scores + half, low, high)


def cross_coverage(
    residuals: np.ndarray, level: float, groups: Sequence[str] | np.ndarray | None = None, *, folds: int = 10, seed: int = 0
) -> float:
    """The share of residuals inside the half-width that the other folds' contexts give: coverage, checked on data not used."""
    names = list(map(str, range(len(residuals)) if groups is None else groups))
    inside = np.zeros(len(residuals))
    kept = np.asarray(names)
    for learn, test in train_test_splits(inner_folds(names, folds, seed)):
        inside[test] = np.abs(residuals[test]) <= half_width(residuals[learn], level, kept[learn])
    return float(inside[~np.isnan(residuals)].mean())
