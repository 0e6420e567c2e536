"""Ratings on each rater's own scale: standard scores within rater and quality (Lowe et al. 2017, figure 5, normalise so)."""

from __future__ import annotations

import numpy as np

from dialometer.core.types import Ratings
from dialometer.stats.agreement.rater_rows import known


def z_scores(ratings: Ratings, least: int = 2) -> Ratings:
    """``(value − mean) / sd`` within each rater and quality, sd over n − 1.

    A rating has no standard score, and no row here, where the rater is unknown, where its rater gave the same value to
    everything, or where they gave fewer than ``least``: the lengths before and after say how many.
    """
    named = known(ratings, "a rater's own scale")
    group = np.unique(named.rater * len(ratings.qualities) + named.quality, return_inverse=True)[1]
    n = np.bincount(group)
    apart = named.value - (np.bincount(group, named.value) / n)[group]
    low, high = np.full(len(n), np.inf), np.full(len(n), -np.inf)
    np.minimum.at(low, group, named.value)
    np.maximum.at(high, group, named.value)
    enough = (n >= max(least, 2)) & (high > low)
    sd = np.sqrt(np.bincount(group, apart**2) / np.maximum(n - 1, 1))
    kept = named.rows(enough[group])
    scores = (apart / np.where(enough, sd, 1.0)[group])[enough[group]]
    arrays = (kept.item, kept.rater, kept.quality, scores, kept.seconds, kept.check)
    return Ratings(ratings.items, ratings.raters, ratings.qualities, *arrays)


def strips(ratings: Ratings, least: int = 2) -> dict[str, np.ndarray]:
    """Each rater's standard scores in the order of their ratings; raters who have none are absent."""
    scores = z_scores(ratings, least)
    if not len(scores):
        return {}
    order = np.argsort(scores.rater, kind="stable")
    numbers, starts = np.unique(scores.rater[order], return_index=True)
    pieces = np.split(scores.value[order], starts[1:])
    return {ratings.raters[number]: piece for number, piece in zip(numbers.tolist(), pieces, strict=True)}
