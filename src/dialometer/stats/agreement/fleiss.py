"""Fleiss' κ: one number for many raters on unordered categories (Fleiss 1971).

``κ = (P − E) / (1 − E)``; P is the mean over items of the share of agreeing pairs ``Σ nₖ (nₖ − 1) / (m (m − 1))``, E is ``Σ pₖ²``.

The original requires m ratings on every item. Where their number differs each item still counts once, in P as in pₖ (the mean
over items of ``nₖ / m``, after Gwet 2014, chapter 2); with equal numbers that is Fleiss' own value. Items with one rating
have no pair and are left out of both.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from dialometer.core.types import Ratings
from dialometer.stats.agreement.rater_rows import codes_of, once


@dataclass(frozen=True)
class Fleiss:
    """κ, the items behind it, the items with fewer than two ratings, and the range of ratings per item."""

    kappa: float
    items: int
    left_out: int
    fewest: int
    most: int


def fleiss(ratings: Ratings) -> Fleiss:
    """Fleiss' κ of one quality; raters need no names. NaN where all ratings are the same."""
    judged = once(ratings)
    codes, scale = codes_of(judged.value)
    items, row = np.unique(judged.item, return_inverse=True)
    if not len(items):
        return Fleiss(float("nan"), 0, 0, 0, 0)
    counts = np.bincount(row * len(scale) + codes, minlength=len(items) * len(scale)).reshape(len(items), -1).astype(float)
    total = counts.sum(axis=1)
    used, m = counts[total > 1], total[total > 1]
    if not len(used):
        return Fleiss(float("nan"), 0, len(items), 0, 0)
    agreeing = ((used * (used - 1)).sum(axis=1) / (m * (m - 1))).mean()
    chance = float(((used / m[:, None]).mean(axis=0) ** 2).sum())
    alike = (used > 0).any(axis=0).sum() < 2
    value = float("nan") if alike else float((agreeing - chance) / (1 - chance))
    return Fleiss(value, len(used), len(items) - len(used), int(m.min()), int(m.max()))
