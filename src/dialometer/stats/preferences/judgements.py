"""A judgement as one number: the sum of its qualities, on each rater's own scale where asked (Ghandeharioun et al. 2019, A.9)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from dialometer.core.errors import NeedsError, UnknownName
from dialometer.core.types import Ratings
from dialometer.stats.agreement.standard_scores import z_scores


@dataclass(frozen=True)
class Judgements:
    """Rows of item, rater (−1: the mean over unnamed raters) and value.

    ``incomplete`` counts judgements that lack a quality, ``left_out_raters`` names those of whom nothing is left.
    """

    item: np.ndarray
    rater: np.ndarray
    value: np.ndarray
    incomplete: int
    left_out_raters: tuple[str, ...]


def judgement_sums(
    ratings: Ratings, qualities: Sequence[str] = (), *, normalise: bool = False, least: int = 10
) -> Judgements:
    """Sum the qualities of each (item, rater); a judgement that lacks one is left out and counted.

    With ``normalise`` each rater's ratings of a quality become standard scores; a rater who gave fewer than ``least`` of them, or
    always the same, has none. Without raters' names the means of each item are summed instead.
    """
    chosen = tuple(qualities) or ratings.qualities
    for name in chosen:
        if name not in ratings.qualities:
            raise UnknownName("quality", name, ratings.qualities, hint=f"one of: {', '.join(ratings.qualities)}")
    if normalise and not ratings.named:
        raise NeedsError("ratings cannot be normalised per rater: some do not say whose they are", "ratings with raters")
    everybody = np.unique(ratings.rater).tolist()
    if normalise:
        ratings = z_scores(ratings, least)
    wide = np.full(len(ratings.qualities), -1)
    wide[[ratings.qualities.index(name) for name in chosen]] = np.arange(len(chosen))
    rows = (wide[ratings.quality] >= 0) & np.isnan(ratings.check)
    item, quality, value = ratings.item[rows], wide[ratings.quality[rows]], ratings.value[rows]
    rater = ratings.rater[rows] if ratings.named else np.full(len(item), -1)
    keys, codes = np.unique(np.stack([item, rater]), axis=1, return_inverse=True)
    shape = (keys.shape[1], len(chosen))
    cells = codes.reshape(-1) * len(chosen) + quality
    counts = np.bincount(cells, minlength=shape[0] * shape[1]).reshape(shape)
    with np.errstate(invalid="ignore"):
        table = np.bincount(cells, value, minlength=shape[0] * shape[1]).reshape(shape) / counts
    whole = ~np.isnan(table).any(axis=1)
    gone = sorted(set(everybody) - set(keys[1][whole].tolist())) if ratings.named else []
    left = tuple(ratings.raters[number] for number in gone)
    return Judgements(keys[0][whole], keys[1][whole], table[whole].sum(axis=1), int((~whole).sum()), left)
