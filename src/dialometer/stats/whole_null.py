"""What a whole procedure finds where there is nothing to find: ratings are dealt anew and everything is done again, choices too.

``bots``: the mean ratings of the systems change places, what each conversation has above its system's mean stays with it. This is
the null of a figure over systems. ``dialogues``: ratings change places over all conversations, the null of a figure over
conversations. ``p = (1 + #{T* ≥ T}) / (1 + draws)``, one-sided, since a score that falls as ratings rise is of no use.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from dialometer.protocols import Progress
from dialometer.stats.resample import seed_for

WAYS = ("bots", "dialogues")
SLACK = 1e-12  # values that differ by less are ties that rounding pulled apart


@dataclass(frozen=True, eq=False)
class Null:
    """A figure, what it is when ratings are dealt anew, and the share of these that reach it."""

    value: float
    draws: np.ndarray
    p: float


def whole_null(
    procedure: Callable[[np.ndarray], float],
    y: np.ndarray,
    systems: Sequence[str] | np.ndarray,
    *,
    way: str,
    draws: int = 999,
    seed: int = 0,
    progress: Progress | None = None,
) -> Null:
    """``procedure`` turns ratings into the figure, from scratch; a draw whose figure is not defined counts as reaching it."""
    rng = np.random.default_rng(seed_for(seed, "whole null", way))
    value = procedure(y)
    found = np.empty(draws)
    for number in range(draws):
        found[number] = procedure(dealt(y, systems, way, rng))
        if progress:
            progress(f"chance, {way}", number + 1, draws)
    if value != value:
        return Null(value, found, float("nan"))
    reached = np.isnan(found) | (found >= value - SLACK)
    return Null(value, found, float((1 + reached.sum()) / (1 + draws)))


def dealt(y: np.ndarray, systems: Sequence[str] | np.ndarray, way: str, rng: np.random.Generator) -> np.ndarray:
    """Ratings in other places.

    >>> rng = np.random.default_rng(3)
    >>> dealt(np.array([1.0, 3.0, 10.0, 10.0]), ["a", "a", "b", "b"], "bots", rng).tolist()
    [9.0, 11.0, 2.0, 2.0]
    """
    if way == "dialogues":
        return rng.permutation(y)
    codes = np.unique(np.asarray(systems), return_inverse=True)[1]
    means = np.bincount(codes, y) / np.bincount(codes)
    return np.asarray(y - means[codes] + rng.permutation(means)[codes])
