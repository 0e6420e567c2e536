"""Permutation null of the full pipeline: ratings are permuted and everything is fitted again, model selection included.

``bots``: the mean ratings of the systems change places, what each dialogue has above its system's mean stays with it. This is
the null of a figure over systems. ``dialogues``: what dialogues have above their system's mean changes places within each
system, too. This is the null of a figure over dialogues: systems may still differ, since dialogues of one system are not
independent. ``p = (1 + #{T* ≥ T}) / (1 + draws)``, one-sided, since a score that falls as ratings rise is of no use.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from dialometer.core.protocols import Progress
from dialometer.stats.resample import seed_for

Way = Literal["bots", "dialogues"]
SLACK = 1e-12  # values that differ by less are ties that rounding pulled apart


@dataclass(frozen=True, eq=False)
class Null:
    """Figures, their values under permuted ratings (draws, figures), and for each the share of these that reach it."""

    value: np.ndarray
    draws: np.ndarray
    p: np.ndarray


def whole_null(
    procedure: Callable[[np.ndarray], Sequence[float]],
    y: np.ndarray,
    systems: Sequence[str] | np.ndarray,
    *,
    way: Way,
    draws: int = 999,
    seed: int = 0,
    progress: Progress | None = None,
) -> Null:
    """``procedure`` turns ratings into figures, from scratch; a draw whose figure is not defined counts as reaching it."""
    rng = np.random.default_rng(seed_for(seed, "whole null", way))
    value = np.asarray(procedure(y), np.float64)
    found = np.empty((draws, len(value)))
    for number in range(draws):
        found[number] = procedure(permute_ratings(y, systems, way, rng))
        if progress:
            progress(f"chance, {way}", number + 1, draws)
    reached = np.isnan(found) | (found >= value - SLACK)
    return Null(value, found, np.where(np.isnan(value), np.nan, (1 + reached.sum(0)) / (1 + draws)))


def permute_ratings(y: np.ndarray, systems: Sequence[str] | np.ndarray, way: Way, rng: np.random.Generator) -> np.ndarray:
    """Ratings in other places.

    >>> rng = np.random.default_rng(3)
    >>> permute_ratings(np.array([1.0, 3.0, 10.0, 10.0]), ["a", "a", "b", "b"], "bots", rng).tolist()
    [9.0, 11.0, 2.0, 2.0]
    """
    codes = np.unique(np.asarray(systems), return_inverse=True)[1]
    means = np.bincount(codes, y) / np.bincount(codes)
    above = y - means[codes]
    if way == "dialogues":
        inside = np.argsort(codes, kind="stable")  # rows system by system, and the same in an order drawn within each
        above[inside] = above[np.lexsort((rng.random(len(y)), codes))]
    return np.asarray(above + rng.permutation(means)[codes])
