"""What the spread of ratings is made of: items, raters, and the rest; systems' means are taken out first.

With raters' names the two-way random model ``y = system + item + rater + rest`` is solved by Henderson's first method (1953): sums
of squares set equal to their expectations, so holes do no harm. Without names it is the unbalanced one-way analysis of variance,
and what raters differ in is part of the rest. An estimate below zero is zero.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from dialometer.core.errors import NeedsError


@dataclass(frozen=True)
class Components:
    """Variances. ``context`` is the part of ``item`` that responses of several systems to one context share.

    ``rater`` is NaN where raters are unknown, ``context`` where no two systems have a context in common, and ``residual`` where
    every item has one rating: ``item`` then holds everything.
    """

    item: float
    context: float
    rater: float
    residual: float
    items: int
    raters: int
    ratings: int

    @property
    def sd(self) -> float:
        """The standard deviation of a single rating within a system: the unit of an effect in deviations."""
        return float(np.sqrt(np.nansum([self.item, self.rater, self.residual])))


def components(value: np.ndarray, item: np.ndarray, rater: np.ndarray, system: np.ndarray, group: np.ndarray) -> Components:
    """From ratings in long form; ``system`` and ``group`` are numbers per item, ``rater`` is −1 where it is not known."""
    seen, item = np.unique(item, return_inverse=True)
    system, group = np.unique(system[seen], return_inverse=True)[1], np.unique(group[seen], return_inverse=True)[1]
    systems = int(system.max()) + 1 if len(seen) else 0
    if len(seen) - systems < 2:
        raise NeedsError(f"{len(seen)} rated items of {systems} systems say nothing of spread", "more rated items")
    own = system[item]
    y = value - (np.bincount(own, value) / np.bincount(own))[own]
    per_item = np.bincount(item)
    means = np.bincount(item, y) / per_item
    between, within = _one_way(y, item, means, per_item, np.bincount(own), systems, system)
    named = bool((rater >= 0).all())
    who = np.unique(rater, return_inverse=True)[1]
    found = _two_way(y, item, who, systems) if named and not np.isnan(within) else None
    variances = found or (between, float("nan"), within)
    shared = _context_covariance(means, system, group)
    context = shared if np.isnan(shared) else min(max(shared, 0.0), variances[0])
    return Components(
        variances[0], context, variances[1], variances[2], len(seen), int(who.max()) + 1 if named else 0, len(y)
    )


def _one_way(
    y: np.ndarray,
    item: np.ndarray,
    means: np.ndarray,
    per_item: np.ndarray,
    per_system: np.ndarray,
    systems: int,
    system: np.ndarray,
) -> tuple[float, float]:
    """Between items of a system, and within items (Searle et al. 1992, section 3.6); (all, NaN) with one rating each."""
    freedom = len(means) - systems
    squares = float((per_item * means**2).sum()) / freedom
    if len(y) == len(means):
        return squares, float("nan")
    within = float(((y - means[item]) ** 2).sum()) / (len(y) - len(means))
    typical = (len(y) - (np.bincount(system, per_item**2) / per_system).sum()) / freedom
    return float(max(0.0, (squares - within) / typical)), within


def _two_way(y: np.ndarray, item: np.ndarray, rater: np.ndarray, systems: int) -> tuple[float, float, float] | None:
    """Items, raters, rest; None where the design cannot separate raters from the rest."""
    n, items, raters = len(y), int(item.max()) + 1, int(rater.max()) + 1
    cells, counts = np.unique(item.astype(np.int64) * raters + rater, return_counts=True)
    per_item, per_rater = np.bincount(item), np.bincount(rater)
    squared = counts.astype(np.float64) ** 2
    by_item, by_rater = (squared / per_item[cells // raters]).sum(), (squared / per_rater[cells % raters]).sum()
    left = np.array(
        [
            [n, n, n, n],
            [n, n, by_item, items],
            [n, by_rater, n, raters],
            [n, (per_item.astype(float) ** 2).sum() / n, (per_rater.astype(float) ** 2).sum() / n, 1],
        ]
    )
    if raters < 2 or np.linalg.cond(left) > 1e10:
        return None
    item_sums, rater_sums = np.bincount(item, y), np.bincount(rater, y)
    right = [(y**2).sum(), (item_sums**2 / per_item).sum(), (rater_sums**2 / per_rater).sum(), y.sum() ** 2 / n]
    _, between, people, rest = np.linalg.solve(left, right)
    found = (
        between * (items - 1) / (items - systems),
        people,
        rest,
    )  # each system's mean cost an item, the first is known here
    return float(max(0.0, found[0])), float(max(0.0, found[1])), float(max(0.0, found[2]))


def _context_covariance(means: np.ndarray, system: np.ndarray, group: np.ndarray) -> float:
    """The covariance of two systems' means in one context, over all such pairs; NaN where there is none."""
    keys, codes = np.unique(group.astype(np.int64) * (int(system.max()) + 1) + system, return_inverse=True)
    each = np.bincount(codes, means) / np.bincount(codes)
    place = keys // (int(system.max()) + 1)
    count, total, squares = np.bincount(place), np.bincount(place, each), np.bincount(place, each**2)
    pairs = (count * (count - 1)).sum()
    return float((total**2 - squares).sum() / pairs) if pairs else float("nan")
