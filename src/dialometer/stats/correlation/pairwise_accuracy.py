"""Pairwise accuracy with tie calibration: how often a metric orders two items as raters do, where predicting a tie can be right.

Over pairs of items, ``acc_eq = (C + T_hm) / (C + D + T_h + T_m + T_hm)``: a pair is right when metric and raters order it alike,
or both call it a tie. Metrics hardly ever give equal scores, so scores that differ by at most ε are called a tie, with the ε that
makes accuracy highest (Deutsch, Foster & Freitag 2023, "Ties Matter"). Chosen on the very pairs it is then measured on, ε flatters
a little: give the ε of other data where there is some.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from dialometer.stats.correlation.pairs import all_pairs, group_starts, pair_counts, some_pairs
from dialometer.stats.correlation.weighted import both

PAIRS = 1 << 20  # above this many pairs, so many are drawn instead


@dataclass(frozen=True)
class Accuracy:
    """Accuracy, the ε it rests on and whether that was chosen here, the pairs used and there, human ties, groups."""

    value: float
    epsilon: float
    chosen: bool
    pairs: int
    of: int
    human_ties: float
    groups: int
    n: int

    @property
    def sampled(self) -> bool:
        """Whether pairs were drawn (with replacement), not listed."""
        return self.pairs < self.of


def pairwise_accuracy(
    x: np.ndarray,
    y: np.ndarray,
    groups: Sequence[str] | np.ndarray | None = None,
    *,
    epsilon: float | None = None,
    pairs: int = PAIRS,
    seed: int = 0,
) -> Accuracy:
    """acc_eq of scores x and ratings y; with groups, over pairs within a group, averaged over groups with a pair.

    >>> found = pairwise_accuracy(np.array([0.0, 0.1, 0.5]), np.array([1.0, 1.0, 2.0]))
    >>> found.value, found.epsilon
    (1.0, 0.1)
    """
    x, y = np.asarray(x, float), np.asarray(y, float)
    rows = both(x, y)
    order, starts = group_starts(None if groups is None else np.asarray(groups)[rows], len(rows))
    counts = pair_counts(starts)
    there = int(counts.sum())
    if not there:
        return Accuracy(np.nan, np.nan if epsilon is None else epsilon, epsilon is None, 0, 0, np.nan, 0, len(rows))
    listed = there <= pairs
    a, b, group = all_pairs(order, starts) if listed else some_pairs(order, starts, pairs, seed)
    weight = 1 / counts[group]
    weight /= weight.sum()
    gap, agrees, tie = _compare(x[rows], y[rows], a, b)
    if epsilon is None:
        value, best = _calibrate(gap, agrees, tie, weight)
    else:
        value, best = float(weight[np.where(gap <= epsilon, tie, agrees)].sum()), float(epsilon)
    known = int((counts > 0).sum())
    return Accuracy(value, best, epsilon is None, len(a), there, float(weight[tie].sum()), known, len(rows))


def _compare(x: np.ndarray, y: np.ndarray, a: np.ndarray, b: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Of each pair: how far apart the scores are, whether they are ordered as the ratings, whether the ratings are tied."""
    with np.errstate(invalid="ignore"):
        difference = np.where(x[a] == x[b], 0.0, x[a] - x[b])  # two infinities alike are a tie
    people = np.sign(y[a] - y[b])
    return np.abs(difference), (np.sign(difference) == people) & (people != 0), people == 0


def _calibrate(gap: np.ndarray, agrees: np.ndarray, tie: np.ndarray, weight: np.ndarray) -> tuple[float, float]:
    """The best accuracy over ε = 0 and every gap, and the least ε that reaches it.

    In rising order of gap, a pair that becomes a tie is lost if it was ordered rightly, and won if the ratings are tied.
    """
    order = np.argsort(gap, kind="stable")
    change = np.cumsum((weight * (tie.astype(float) - agrees))[order])
    gaps = gap[order]
    last = np.flatnonzero(np.append(gaps[1:] > gaps[:-1], True))  # a threshold takes all pairs of its gap
    values = np.append(0.0, change[last]) + float(weight[agrees].sum())
    thresholds = np.append(0.0, gaps[last])
    if gaps[0] == 0:
        values, thresholds = values[1:], thresholds[1:]
    best = int(np.argmax(values > values.max() - 1e-12))
    return float(values[best]), float(thresholds[best])
