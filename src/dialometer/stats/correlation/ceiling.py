"""The human ceiling: correlation between raters, and the highest correlation with their mean that a metric can reach.

**Halves** (the *human* row of Liu et al. 2016 and of AM-FM's upper bound): the ratings of each item are split at random into
two halves, whose means are correlated; averaged here over many splits. The item's own ratings are split, so names are not
needed. With an odd number the first half has one fewer. System level: the means of each half over a system's items.

**Interval**: each draw takes one split and resamples whole clusters of items. It covers the items that happened to be chosen and
the way raters fell into halves, and is so a little wide for the mean over splits; it does not cover other raters.

**Reach**: an estimate of what a perfect metric would correlate with the mean of *all* raters. Rating = truth + noise gives
``r = ρ / √((ρ + e₁)(ρ + e₂))`` for halves with noise shares e₁, e₂ (means of 1/size over items) and ρ the ratio of true to noise
variance; solved for ρ, the mean of all has reliability ``ρ / (ρ + e)`` and a perfect metric reaches its square root. With equal
halves that is Spearman (1910) and Brown (1910), ``2r / (1 + r)``; with others Horst (1951). r ≤ 0 shows no truth at all: reach 0.
The model is about Pearson; Spearman's is an approximation, and Kendall's τ has none (NaN).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from dialometer.core.errors import UnknownName
from dialometer.core.types import Ratings
from dialometer.stats.agreement.rater_rows import once, runs
from dialometer.stats.correlation.half_levels import KINDS, ItemLevel, Shares, SystemLevel
from dialometer.stats.resample import bootstrap_weights, percentile_interval, seed_for


@dataclass(frozen=True)
class Halves:
    """The ratings of items that have two or more, for random splits into halves; items with equally many ratings share a matrix."""

    items: np.ndarray
    sizes: np.ndarray
    groups: tuple[tuple[np.ndarray, np.ndarray], ...]  # rows of the items; (items, ratings)

    @classmethod
    def of(cls, ratings: Ratings) -> Halves:
        """Group the ratings by item."""
        order = np.argsort(ratings.item, kind="stable")
        item, value = ratings.item[order], ratings.value[order]
        starts = runs(item)
        sizes = np.diff(np.append(starts, len(item)))
        starts, sizes = starts[sizes > 1], sizes[sizes > 1]
        groups = []
        for size in np.unique(sizes).tolist():
            places = np.flatnonzero(sizes == size)
            groups.append((places, value[starts[places][:, None] + np.arange(size)]))
        return cls(item[starts], sizes, tuple(groups))

    def split(self, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
        """Means of two random halves of each item's ratings; with an odd number the first half has one fewer."""
        first, second = np.empty((2, len(self.items)))
        for places, values in self.groups:
            mixed = rng.permuted(values, axis=1)
            cut = values.shape[1] // 2
            first[places], second[places] = mixed[:, :cut].mean(axis=1), mixed[:, cut:].mean(axis=1)
        return first, second


@dataclass(frozen=True)
class HumanCorrelation:
    """Correlation between raters at one level: r between halves with its 95% interval, n behind it, and the estimated reach."""

    level: str  # item or system
    kind: str
    n: int
    r: float
    low: float
    high: float
    reliability: float  # of the mean over all raters; an estimate
    reach: float  # its root: what a perfect metric would have; an estimate
    reach_low: float
    reach_high: float


@dataclass(frozen=True)
class Ceiling:
    """Rows per level and kind; items with two ratings or more, those left out, splits and resamples."""

    rows: tuple[HumanCorrelation, ...]
    items: int
    left_out: int
    splits: int
    resamples: int


def ceiling(
    ratings: Ratings,
    clusters: np.ndarray | None = None,
    systems: np.ndarray | None = None,
    *,
    kinds: Sequence[str] = KINDS,
    splits: int = 200,
    resamples: int = 1000,
    seed: int = 0,
) -> Ceiling:
    """The ceiling of one quality; ``clusters`` and ``systems`` hold a number per item of ``ratings.items`` (−1: no system)."""
    for kind in kinds:
        if kind not in KINDS:
            raise UnknownName("correlation", kind, KINDS, hint="")
    judged = once(ratings)
    halves = Halves.of(judged)
    left_out = len(np.unique(judged.item)) - len(halves.items)
    if not len(halves.items):
        return Ceiling((), 0, left_out, splits, 0)
    own = np.unique(halves.items if clusters is None else np.asarray(clusters)[halves.items], return_inverse=True)[1]
    groups = int(own.max()) + 1
    levels: list[ItemLevel | SystemLevel] = [ItemLevel(own, groups)]
    if systems is not None:
        levels.append(SystemLevel(own, groups, np.asarray(systems)[halves.items]))
    resamples = resamples if groups > 1 else 0  # one cluster has no variance
    draws = _draws(halves, levels, groups, kinds, splits, resamples, seed)
    rows = [
        _human(level, kind, level.shares(halves.sizes), draws[place, number], splits)
        for place, level in enumerate(levels)
        for number, kind in enumerate(kinds)
    ]
    return Ceiling(tuple(rows), len(halves.items), left_out, splits, resamples)


def reach_of(r: np.ndarray, shares: Shares) -> tuple[np.ndarray, np.ndarray]:
    """Reliability of the mean over all raters and its root, from the correlation of halves.

    >>> [round(float(x), 4) for x in reach_of(np.array(0.5), (0.5, 0.5, 0.25))]
    [0.6667, 0.8165]
    """
    a, b, whole = shares
    square = np.clip(r, 0, 1) ** 2
    with np.errstate(divide="ignore", invalid="ignore"):
        # (1 − r²) ρ² − r² (a + b) ρ − r² a b = 0
        middle = square * (a + b)
        ratio = (middle + np.sqrt(middle**2 + 4 * (1 - square) * square * a * b)) / (2 * (1 - square))
        reliability = np.where(square >= 1, 1.0, ratio / (ratio + whole))
    reliability = np.where(np.isnan(r), np.nan, reliability)
    return reliability, np.sqrt(reliability)


def _draws(
    halves: Halves,
    levels: Sequence[ItemLevel | SystemLevel],
    groups: int,
    kinds: Sequence[str],
    splits: int,
    resamples: int,
    seed: int,
) -> np.ndarray:
    """(levels, kinds, splits + resamples): each split as it is, then the resamples, assigned to the splits in turn."""
    weights = np.ones((splits + resamples, groups))
    if resamples:
        weights[splits:] = bootstrap_weights(groups, resamples, seed_for(seed, "ceiling", "items"))
    draws = np.full((len(levels), len(kinds), len(weights)), np.nan)
    rng = np.random.default_rng(seed_for(seed, "ceiling", "splits"))
    for number in range(splits):
        first, second = halves.split(rng)
        rows = np.concatenate([[number], np.arange(splits + number, len(weights), splits)])
        for place, level in enumerate(levels):
            draws[place][:, rows] = level.correlate(first, second, weights[rows], kinds)
    return draws


def _human(level: ItemLevel | SystemLevel, kind: str, shares: Shares, draws: np.ndarray, splits: int) -> HumanCorrelation:
    """The mean over splits; the interval and what it means for the mean of all raters."""
    seen = draws[:splits][~np.isnan(draws[:splits])]
    r = float(seen.mean()) if len(seen) else float("nan")
    ends = [float(end[0]) for end in percentile_interval(draws[splits:, None])]
    reliability, reach = (np.full(3, np.nan),) * 2
    if kind != "kendall":
        reliability, reach = reach_of(np.array([r, *ends]), shares)
    return HumanCorrelation(level.name, kind, level.n, r, ends[0], ends[1], float(reliability[0]), *map(float, reach))
