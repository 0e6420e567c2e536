"""Pairwise choices: how often a system wins, loses and ties (Ghandeharioun et al. 2019, tables 4, A.2 and A.3).

Shares are over judgements; the 90% interval resamples items, because the judgements of one item belong together. An item is
*ambiguous* where as many raters, one or more, prefer each side; items that all raters tie are not (the text beneath table A.3).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from dialometer.core.types import Preferences
from dialometer.stats.resample import bootstrap_weights, percentile_interval, seed_for


@dataclass(frozen=True)
class Part:
    """A share of the judgements, with its interval."""

    share: float
    low: float
    high: float


@dataclass(frozen=True)
class Outcome:
    """Wins of ``a``, its losses and ties, over this many judgements of this many items."""

    win: Part
    loss: Part
    tie: Part
    judgements: int
    items: int


@dataclass(frozen=True)
class Wins:
    """One pair of systems under one quality; ``clear`` leaves the ambiguous items out."""

    a: str
    b: str
    quality: str
    every: Outcome
    clear: Outcome
    ambiguous: int


def wins(preferences: Preferences, *, level: float = 0.90, resamples: int = 1000, seed: int = 0) -> list[Wins]:
    """Every pair of systems that were compared, for every quality; wins are those of the first by number, in any display order."""
    systems = len(preferences.systems)
    first, second = np.minimum(preferences.a, preferences.b), np.maximum(preferences.a, preferences.b)
    choice = np.where(preferences.a <= preferences.b, preferences.choice, -preferences.choice)
    keys = (preferences.quality.astype(np.int64) * systems + first) * systems + second
    found = []
    for key in np.unique(keys):
        rest, b = divmod(int(key), systems)
        quality, a = divmod(rest, systems)
        rows = keys == key
        names = preferences.systems[a], preferences.systems[b], preferences.qualities[quality]
        counts = item_counts(preferences.item[rows], choice[rows])
        unclear = (counts[:, 0] == counts[:, 1]) & (counts[:, 0] > 0)
        own = seed_for(seed, "wins", *names)
        every, clear = (_outcome(kept, level, resamples, own) for kept in (counts, counts[~unclear]))
        found.append(Wins(*names, every, clear, int(unclear.sum())))
    return found


def item_counts(items: np.ndarray, choice: np.ndarray) -> np.ndarray:
    """(items that were judged, 3): votes for the first, for the second, and ties.

    >>> item_counts(np.array([7, 7, 9]), np.array([1, 0, -1])).tolist()
    [[1.0, 0.0, 1.0], [0.0, 1.0, 0.0]]
    """
    codes = np.unique(items, return_inverse=True)[1]
    return np.stack([np.bincount(codes, choice == vote) for vote in (1, -1, 0)], axis=1).astype(np.float64)


def _outcome(counts: np.ndarray, level: float, resamples: int, seed: int) -> Outcome:
    total, nan = counts.sum(), float("nan")
    if not total:
        nothing = Part(nan, nan, nan)
        return Outcome(nothing, nothing, nothing, 0, 0)
    shares = counts.sum(axis=0) / total
    low, high = np.full(3, nan), np.full(3, nan)
    if resamples and len(counts) > 1:
        drawn = bootstrap_weights(len(counts), resamples, seed) @ counts
        low, high = percentile_interval(drawn / drawn.sum(axis=1, keepdims=True), level)
    win, loss, tie = (Part(float(s), float(x), float(y)) for s, x, y in zip(shares, low, high, strict=True))
    return Outcome(win, loss, tie, int(total), len(counts))
