"""Aggregation of the ratings of each item into one number, by mean, median, z-scores, MACE or Dawid–Skene."""

from __future__ import annotations

import numpy as np

from dialometer.core.errors import UnknownName
from dialometer.core.types import Ratings
from dialometer.stats.agreement.dawid_skene import dawid_skene
from dialometer.stats.agreement.mace import mace
from dialometer.stats.agreement.rater_rows import runs, single
from dialometer.stats.agreement.standard_scores import z_scores

NAMED_WAYS = ("z", "mace", "dawid-skene")  # those that use only ratings of known raters
WAYS = ("mean", "median", "z", "mace", "dawid-skene")


def aggregate(ratings: Ratings, how: str = "mean", *, seed: int = 0) -> np.ndarray:
    """A value per item of ``ratings.items`` for one quality; NaN where an item has no rating.

    ``z`` is the mean of the raters' standard scores; ``mace`` and ``dawid-skene`` give the most probable value. These three use
    the ratings whose raters are known, and refuse where none are.
    """
    if how not in WAYS:
        raise UnknownName("way to aggregate", how, WAYS, hint="")
    judged = single(ratings)
    if how == "mace":
        return mace(judged, seed=seed).labels.value
    if how == "dawid-skene":
        return dawid_skene(judged).labels.value
    if how == "median":
        return _medians(judged)
    return item_means(z_scores(judged) if how == "z" else judged)


def item_means(ratings: Ratings) -> np.ndarray:
    """The mean of each item's ratings."""
    size = len(ratings.items)
    n = np.bincount(ratings.item, minlength=size)
    total = np.bincount(ratings.item, ratings.value, size)
    return np.divide(total, n, out=np.full(size, np.nan), where=n > 0)


def _medians(ratings: Ratings) -> np.ndarray:
    """The middle rating, or the mean of the two in the middle."""
    order = np.lexsort((ratings.value, ratings.item))
    item, value = ratings.item[order], ratings.value[order]
    starts = runs(item)
    n = np.diff(np.append(starts, len(item)))
    found = np.full(len(ratings.items), np.nan)
    found[item[starts]] = (value[starts + (n - 1) // 2] + value[starts + n // 2]) / 2
    return found
