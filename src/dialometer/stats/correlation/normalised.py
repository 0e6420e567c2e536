"""Metrics on the scale of the ratings, |m|, and items where metric and raters disagree (Lowe et al. 2017, tables 6, 9, 12 and 13).

``|m| = clip((m − mean m) / sd m · sd human + mean human, low, high)``, and a raw score of 0 becomes the low end. On a scale from
1 to 5, *high* is 4 and *low* is 2: three quarters and one quarter of the way. The paper's table 6 cuts metrics strictly (> 4, < 2)
and ratings inclusively (≥ 4), which is what we do; its text has "or lower", and one case more.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from dialometer.stats.resample import seed_for


@dataclass(frozen=True)
class RatingScale:
    """The rating scale, and where on it good begins and bad ends, as shares of the way up.

    >>> RatingScale().good, RatingScale().bad
    (4.0, 2.0)
    """

    low: float = 1.0
    high: float = 5.0
    good_share: float = 0.75
    bad_share: float = 0.25

    @property
    def good(self) -> float:
        """Where high scores begin."""
        return self.low + self.good_share * (self.high - self.low)

    @property
    def bad(self) -> float:
        """Where low scores end."""
        return self.low + self.bad_share * (self.high - self.low)


@dataclass(frozen=True)
class Cases:
    """The rows that fulfil a condition, a random few of them, and how many rows it was looked for in."""

    rows: np.ndarray
    sample: np.ndarray
    among: int

    def __len__(self) -> int:
        return len(self.rows)


@dataclass(frozen=True)
class Partings:
    """Table 6 and the samples of tables 9 (``rescued``), 12 (``missed_alone``) and 13 (``fooled_alone``)."""

    good: Cases  # rated high
    overlap_fails: Cases  # … and every word-overlap metric says low
    rescued: Cases  # … and the trained metric says high
    missed: Cases  # rated high, scored low by the trained metric
    missed_alone: Cases  # … and some word-overlap metric says high
    fooled_alone: Cases  # low by raters and a word-overlap metric, scored high by the trained metric
    n: int


def normalise(
    metric: np.ndarray, human: np.ndarray, scale: RatingScale | None = None, *, zero: float | None = 0.0
) -> np.ndarray:
    """|m|: the metric with the mean and variance of the ratings, clipped to their scale; NaN throughout where it is constant.

    ``zero`` is the raw score that means nothing was found and goes to the low end; None where the metric has no such score.
    """
    scale = scale or RatingScale()
    metric, human = np.asarray(metric, float), np.asarray(human, float)
    both = ~(np.isnan(metric) | np.isnan(human))
    if not both.any() or np.ptp(metric[both]) == 0:
        return np.full(len(metric), np.nan)
    m, h = metric[both], human[both]
    moved = np.clip((metric - m.mean()) / m.std() * h.std() + h.mean(), scale.low, scale.high)
    return moved if zero is None else np.where(metric == zero, scale.low, moved)


def partings(
    human: np.ndarray,
    overlap: Mapping[str, np.ndarray],
    trained: np.ndarray,
    scale: RatingScale | None = None,
    *,
    sample: int = 3,
    seed: int = 0,
) -> Partings:
    """Where a trained metric rescues what word overlap misses, and where it fails; raw scores go in and are normalised here."""
    scale = scale or RatingScale()
    human = np.asarray(human, float)
    words = [normalise(column, human, scale) for column in overlap.values()]
    judge = normalise(trained, human, scale, zero=None)
    known = ~np.isnan(np.stack([human, judge, *words])).any(axis=0)
    high = human >= scale.good
    every_low = np.logical_and.reduce([column < scale.bad for column in words])
    some_low = np.logical_or.reduce([column < scale.bad for column in words])
    some_high = np.logical_or.reduce([column > scale.good for column in words])

    def pick(name: str, *conditions: np.ndarray) -> Cases:
        *before, last = [known, *conditions]
        among = np.logical_and.reduce(before)
        return _cases(among & last, int(among.sum()), sample, seed, name)

    return Partings(
        pick("good", high),
        pick("overlap fails", high, every_low),
        pick("rescued", high, every_low, judge > scale.good),
        pick("missed", high, judge < scale.bad),
        pick("missed alone", high, judge < scale.bad, some_high),
        pick("fooled alone", human <= scale.bad, judge > scale.good, some_low),
        int(known.sum()),
    )


def extremes(
    metric: np.ndarray,
    human: np.ndarray,
    spread: np.ndarray | None = None,
    scale: RatingScale | None = None,
    *,
    bounds: tuple[float, float] | None = None,
    cuts: tuple[float, float] = (0.2, 0.8),
    most_spread: float = 0.25,
    sample: int = 3,
    seed: int = 0,
) -> dict[str, Cases]:
    """Clear cases (D'Haro et al. 2019, table 4; Liu et al. 2016, figure 2): metric and ratings both at an end of their scales.

    The metric counts as high above 0.8 of its range and as low below 0.2 (the observed range, unless ``bounds`` gives it); ratings
    above 4 and below 2 of 5. ``spread`` is the raters' standard deviation of an item; items above ``most_spread`` of the scale's
    width, or with one rater, are left out. Keys: ``both good``, ``both bad``, ``overrated``, ``underrated``.
    """
    scale = scale or RatingScale()
    metric, human = np.asarray(metric, float), np.asarray(human, float)
    known = ~(np.isnan(metric) | np.isnan(human))
    if spread is not None:
        known &= np.asarray(spread, float) <= most_spread * (scale.high - scale.low)  # NaN is not small
    low, high = bounds or ((float(np.nanmin(metric)), float(np.nanmax(metric))) if known.any() else (0.0, 1.0))
    place = (metric - low) / ((high - low) or np.nan)
    loved, hated = human > scale.good, human < scale.bad
    rated = {"both good": (1, loved), "both bad": (0, hated), "overrated": (1, hated), "underrated": (0, loved)}
    return {
        name: _cases(
            known & people & ((place > cuts[1]) if up else (place < cuts[0])), int(known.sum()), sample, seed, name
        )
        for name, (up, people) in rated.items()
    }


def most_apart(metric: np.ndarray, human: np.ndarray, count: int = 5) -> tuple[np.ndarray, np.ndarray]:
    """Rows that the metric ranks highest above the raters, and those it ranks lowest below them (Liu et al. 2016, figure 2)."""
    from scipy.stats import rankdata

    metric, human = np.asarray(metric, float), np.asarray(human, float)
    rows = np.flatnonzero(~(np.isnan(metric) | np.isnan(human)))
    apart = rankdata(metric[rows]) - rankdata(human[rows])
    order = np.argsort(-apart, kind="stable")
    over = order[apart[order] > 0][:count]
    under = order[::-1][apart[order[::-1]] < 0][:count]
    return rows[over], rows[under]


def _cases(mask: np.ndarray, among: int, sample: int, seed: int, purpose: str) -> Cases:
    rows: Sequence[int] | np.ndarray = np.flatnonzero(mask)
    chosen = np.random.default_rng(seed_for(seed, "cases", purpose)).permutation(rows)[:sample]
    return Cases(np.asarray(rows), np.sort(chosen), among)
