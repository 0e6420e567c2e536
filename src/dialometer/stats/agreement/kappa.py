"""Cohen's κ between two raters, and between all who share items (Cohen 1960; weighted: Cohen 1968).

``κ = 1 − Σ w(x, y) o(x, y) / Σ w(x, y) e(x, y)``: weighted disagreement seen, over that of independent raters with the same
habits. ``w`` is ``(x − y)²``, ``|x − y|`` or ``x ≠ y``, where x and y are places on the ordered scale, not values: the scale is
that of the whole quality (or declared), so that a pair who used three of five categories is measured on all five.

κ is undefined (NaN) where fewer than two items are shared, or where one of the two gave the same value to all of them:
whatever the other did, such a pair agrees exactly as often as chance would.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import get_args

import numpy as np

from dialometer.core.errors import NeedsError, UnknownName
from dialometer.core.types import KappaWeights, Ratings
from dialometer.stats.agreement.rater_rows import codes_of, firsts, known, pair_rows, single, unknown

WEIGHTS = get_args(KappaWeights)
LIU = (0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8)  # thresholds of Liu et al. 2016, table 6
PIECE = 1 << 22  # counts held at once


@dataclass(frozen=True)
class RaterPairs:
    """Two raters a row (their numbers), the items both judged, κ and Spearman's ρ over these; NaN where undefined."""

    a: np.ndarray
    b: np.ndarray
    n: np.ndarray
    kappa: np.ndarray
    spearman: np.ndarray
    repeats: int  # ratings set aside because the rater had judged that item before
    unknown: int  # ratings set aside because the rater is unknown


@dataclass(frozen=True)
class ShareAbove:
    """How many pairs with a κ exceed a threshold."""

    threshold: float
    count: int
    pairs: int
    share: float


def kappa(
    a: np.ndarray, b: np.ndarray, *, weights: KappaWeights = "quadratic", categories: Sequence[float] | None = None
) -> float:
    """κ of two raters; NaN in either marks an item that this rater did not judge.

    >>> kappa(np.array([1, 2, 3, 4]), np.array([1, 2, 4, 3]))
    0.8
    """
    a, b = np.asarray(a, float), np.asarray(b, float)
    both = ~(np.isnan(a) | np.isnan(b))
    codes, scale = codes_of(np.concatenate([a[both], b[both]]), categories)
    x, y = np.split(codes, 2)
    return float(kappa_by_group(np.zeros(len(x), np.int64), x, y, 1, len(scale), weights)[0][0])


def pair_kappas(
    ratings: Ratings, *, weights: KappaWeights = "quadratic", categories: Sequence[float] | None = None
) -> RaterPairs:
    """κ and Spearman's ρ of every two raters who share an item; of a rater's repeats on an item the first counts."""
    judged = single(ratings)
    named, repeats = firsts(known(judged, "κ between raters"))
    codes, scale = codes_of(named.value, categories)
    left, right = pair_rows(named.item)
    if not len(left):
        raise NeedsError(
            f"κ between raters needs items that two of them judged, and none of {len(np.unique(named.item))} is such",
            "let raters share some items",
        )
    pair = named.rater[left].astype(np.int64) * len(ratings.raters) + named.rater[right]
    numbers, group = np.unique(pair, return_inverse=True)
    a, b = np.divmod(numbers, len(ratings.raters))
    found = kappa_by_group(group, codes[left], codes[right], len(numbers), len(scale), weights)
    return RaterPairs(a, b, np.bincount(group), *found, repeats, unknown(judged))


def share_above(pairs: RaterPairs, thresholds: Sequence[float] = LIU) -> tuple[ShareAbove, ...]:
    """How many of the pairs with a κ exceed each threshold (Liu et al. 2016, table 6)."""
    defined = pairs.kappa[~np.isnan(pairs.kappa)]
    counts = [int((defined > threshold).sum()) for threshold in thresholds]
    total = len(defined)
    return tuple(
        ShareAbove(threshold, count, total, count / total if total else float("nan"))
        for threshold, count in zip(thresholds, counts, strict=True)
    )


def middle(values: np.ndarray) -> float:
    """The median of the defined values: of κ (Liu et al. 2016) or of Spearman's ρ (Deriu & Cieliebak 2019) over pairs."""
    defined = values[~np.isnan(values)]
    return float(np.median(defined)) if len(defined) else float("nan")


def kappa_by_group(
    group: np.ndarray, x: np.ndarray, y: np.ndarray, groups: int, size: int, weights: KappaWeights
) -> tuple[np.ndarray, np.ndarray]:
    """κ and Spearman's ρ of places x and y on a scale of ``size``, group by group."""
    if weights not in WEIGHTS:
        raise UnknownName("weighting of κ", weights, WEIGHTS, hint=f"one of: {', '.join(WEIGHTS)}")
    order = np.argsort(group, kind="stable")
    group, x, y = group[order], x[order], y[order]
    step = max(1, PIECE // max(size, 1))
    found = [
        _piece(group[rows] - first, x[rows], y[rows], min(step, groups - first), size, weights)
        for first in range(0, groups, step)
        for rows in [slice(*np.searchsorted(group, [first, first + step]))]
    ]
    return np.concatenate([k for k, _ in found]), np.concatenate([r for _, r in found])


def _piece(
    group: np.ndarray, x: np.ndarray, y: np.ndarray, groups: int, size: int, weights: KappaWeights
) -> tuple[np.ndarray, np.ndarray]:
    """Both numbers from the two histograms of each group: no pair of categories is ever enumerated."""
    left = np.bincount(group * size + x, minlength=groups * size).reshape(groups, size).astype(float)
    right = np.bincount(group * size + y, minlength=groups * size).reshape(groups, size).astype(float)
    n = left.sum(axis=1)
    fixed = (left.max(axis=1, initial=0) == n) | (right.max(axis=1, initial=0) == n)
    with np.errstate(divide="ignore", invalid="ignore"):
        seen = np.bincount(group, _weight(x, y, weights), groups) / n
        agreement = 1 - seen / _expected_weight(left, right, n, weights)
        rank_x, rank_y = (np.cumsum(side, axis=1) - (side + n[:, None]) / 2 for side in (left, right))  # around 0
        along = np.bincount(group, rank_x[group, x] * rank_y[group, y], groups)
        rho = along / np.sqrt((left * rank_x**2).sum(axis=1) * (right * rank_y**2).sum(axis=1))
    return np.where(fixed, np.nan, agreement), np.where(fixed, np.nan, np.clip(rho, -1, 1))


def _weight(x: np.ndarray, y: np.ndarray, weights: KappaWeights) -> np.ndarray:
    if weights == "none":
        return (x != y).astype(float)
    return np.abs(x - y).astype(float) ** (2 if weights == "quadratic" else 1)


def _expected_weight(left: np.ndarray, right: np.ndarray, n: np.ndarray, weights: KappaWeights) -> np.ndarray:
    """The mean weight over every rating of one rater beside every rating of the other."""
    if weights == "none":
        return 1 - (left * right).sum(axis=1) / n**2
    if weights == "linear":  # |x − y| counts the steps of the scale that lie between them
        below, under = np.cumsum(left, axis=1)[:, :-1], np.cumsum(right, axis=1)[:, :-1]
        return (below * (n[:, None] - under) + (n[:, None] - below) * under).sum(axis=1) / n**2
    place = np.arange(left.shape[1], dtype=float)
    squares = (left + right) @ place**2 / n
    return np.asarray(squares - 2 * (left @ place) * (right @ place) / n**2)
