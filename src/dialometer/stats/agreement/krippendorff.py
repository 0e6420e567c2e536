"""Krippendorff's α: agreement with holes, without names, on any level of measurement.

``α = 1 − Dₒ / Dₑ``: disagreement inside items over disagreement among all values that can be paired (Krippendorff 2011,
"Computing Krippendorff's Alpha-Reliability"). An item with one rating cannot be paired and is left out.

Each level is a squared distance between positions of the categories: their values (interval), or the middles of their ranks
among all paired values (ordinal: the published sum over the categories between two is the difference of these middles). So
``Σ δ² = 2 [m Σ nₖ zₖ² − (Σ nₖ zₖ)²]`` over m values, for an item as for all, and a resample of items is a matrix product.
For nominal data δ is 0 or 1, and the sum is ``m² − Σ nₖ²``.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np

from dialometer.core.errors import UnknownName
from dialometer.core.types import Ratings
from dialometer.stats.agreement.rater_rows import codes_of, once
from dialometer.stats.resample import bootstrap_weights, percentile_interval, seed_for

Level = Literal["nominal", "ordinal", "interval"]
LEVELS = get_args(Level)
PIECE = 1 << 22  # numbers held at once while resampling


@dataclass(frozen=True)
class Alpha:
    """α with its 95% interval, the items and ratings behind it, and the items with fewer than two ratings."""

    alpha: float
    low: float
    high: float
    items: int
    judgements: int
    left_out: int


def krippendorff(
    ratings: Ratings,
    *,
    level: Level = "interval",
    clusters: np.ndarray | None = None,
    resamples: int = 1000,
    seed: int = 0,
) -> Alpha:
    """α of one quality; the interval resamples whole items, or whole clusters (a number per item of ``ratings.items``).

    NaN where nothing can be paired, or all paired values are the same.
    """
    if level not in LEVELS:
        raise UnknownName("level of measurement", level, LEVELS, hint=f"one of: {', '.join(LEVELS)}")
    judged = once(ratings)
    items, row = np.unique(judged.item, return_inverse=True)
    enough = np.bincount(row, minlength=len(items)) > 1
    judged = judged.rows(enough[row])
    items, row = np.unique(judged.item, return_inverse=True)
    if not len(items):
        return Alpha(float("nan"), float("nan"), float("nan"), 0, 0, len(enough))
    codes, scale = codes_of(judged.value)
    counts = np.bincount(row * len(scale) + codes, minlength=len(items) * len(scale)).reshape(len(items), -1)
    table = counts.astype(float)
    value = float(_alphas(table, np.ones((1, len(items))), scale, level)[0])
    low = high = float("nan")
    own = np.unique(items if clusters is None else np.asarray(clusters)[items], return_inverse=True)[1]
    if resamples and len(own) and own.max() > 0 and not np.isnan(value):
        draws = _draws(table, own, scale, level, resamples, seed)
        low, high = (float(end[0]) for end in percentile_interval(draws[:, None]))
    return Alpha(value, low, high, len(items), len(judged), int((~enough).sum()))


def _draws(table: np.ndarray, own: np.ndarray, scale: np.ndarray, level: Level, resamples: int, seed: int) -> np.ndarray:
    """α in each resample of clusters, a piece of the resamples at a time."""
    weights = bootstrap_weights(int(own.max()) + 1, resamples, seed_for(seed, "alpha"))
    step = max(1, PIECE // len(table))
    return np.concatenate(
        [_alphas(table, weights[at : at + step][:, own], scale, level) for at in range(0, resamples, step)]
    )


def _alphas(table: np.ndarray, weights: np.ndarray, scale: np.ndarray, level: Level) -> np.ndarray:
    """α under each row of item weights; ``table`` counts each category in each item."""
    m = table.sum(axis=1)
    share = weights / (m - 1)  # what an item's Σ δ² counts for
    n = weights @ table  # category totals of each resample
    total = n.sum(axis=1)
    if level == "nominal":
        inside = share @ (m**2 - (table**2).sum(axis=1))
        among = total**2 - (n**2).sum(axis=1)
    elif level == "interval":
        z = scale - scale.mean()  # distances do not move, and squares lose fewer digits
        inside = 2 * share @ (m * (table @ z**2) - (table @ z) ** 2)
        among = 2 * (total * (n @ z**2) - (n @ z) ** 2)
    else:
        middles = np.cumsum(n, axis=1) - (n + total[:, None]) / 2  # (resamples, categories), around 0
        squares = ((share * m) @ table * middles**2).sum(axis=1)
        inside = 2 * (squares - (share * (middles @ table.T) ** 2).sum(axis=1))
        among = 2 * (total * (n * middles**2).sum(axis=1) - (n * middles).sum(axis=1) ** 2)
    varies = (n > 0).sum(axis=1) > 1
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(varies, 1 - (total - 1) * inside / among, np.nan)
