"""A number by turn: the mean over dialogues at each turn of a dialogue, with its interval and the dialogues behind it.

``mean ± t · sd / √n`` on n − 1 degrees of freedom, over the n dialogues that have a number at that turn: a dialogue counts
once, and one that has ended is missing, not zero. Late turns rest only on the dialogues that are that long.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from dialometer.core.errors import UsageError

LEVEL = 0.90


@dataclass(frozen=True, eq=False)
class Trajectory:
    """(groups, turns) of dialogues, means and bounds; NaN where no dialogue has a number, bounds also where only one has."""

    turns: np.ndarray
    n: np.ndarray
    mean: np.ndarray
    low: np.ndarray
    high: np.ndarray


def trajectory(
    dialogue: np.ndarray, turn: np.ndarray, value: np.ndarray, group: np.ndarray, *, groups: int = 0, level: float = LEVEL
) -> Trajectory:
    """Means by turn from rows of dialogue, turn number, value and group (−1: of none); t intervals over dialogues.

    >>> found = trajectory(np.array([0, 0, 1]), np.array([1, 2, 1]), np.array([2.0, 5.0, 4.0]), np.zeros(3, int))
    >>> found.turns.tolist(), found.n.tolist(), found.mean.tolist(), found.low[0].round(2).tolist()
    ([1, 2], [[2, 1]], [[3.0, 5.0]], [-3.31, nan])
    """
    if not 0 < level < 1:
        raise UsageError(f"the level of an interval lies between 0 and 1, and {level} does not", "0.9")
    value, group = np.asarray(value, float), np.asarray(group, np.int64)
    known = ~np.isnan(value) & (group >= 0)
    rows = np.stack([group, np.asarray(turn, np.int64), np.unique(np.asarray(dialogue), return_inverse=True)[1]])[:, known]
    groups = groups or int(group.max(initial=-1)) + 1
    first, last = (int(rows[1].min()), int(rows[1].max())) if rows.size else (1, 0)
    shape = (groups, last - first + 1)
    each, place = np.unique(rows, axis=1, return_inverse=True)  # a dialogue with two numbers at a turn has their mean
    place = place.reshape(-1)
    x = np.bincount(place, value[known]) / np.bincount(place) if rows.size else np.zeros(0)
    cell = each[0] * shape[1] + each[1] - first
    n = np.bincount(cell, minlength=shape[0] * shape[1])
    with np.errstate(invalid="ignore", divide="ignore"):
        mean = np.bincount(cell, x, minlength=len(n)) / n
        sd = np.sqrt(np.bincount(cell, (x - mean[cell]) ** 2, minlength=len(n)) / np.where(n > 1, n - 1, np.nan))
        half = _quantiles(n, level) * sd / np.sqrt(n)
    shaped = [part.reshape(shape) for part in (n, mean, mean - half, mean + half)]
    return Trajectory(np.arange(first, last + 1), *shaped)


def parting(dialogue: np.ndarray, value: np.ndarray, group: np.ndarray) -> float:
    """η², the share of the variance of dialogues' means that lies between groups; NaN for one, or where nothing varies.

    >>> parting(np.arange(4), np.array([1.0, 2.0, 5.0, 6.0]), np.array([0, 0, 1, 1])).__round__(4)
    0.9412
    """
    value, group = np.asarray(value, float), np.asarray(group, np.int64)
    known = ~np.isnan(value) & (group >= 0)
    each, place = np.unique(
        np.stack([group, np.unique(dialogue, return_inverse=True)[1]])[:, known], axis=1, return_inverse=True
    )
    if len(np.unique(each[0])) < 2:
        return float("nan")
    x = np.bincount(place.reshape(-1), value[known]) / np.bincount(place.reshape(-1))
    n = np.bincount(each[0])
    means = np.bincount(each[0], x) / np.maximum(n, 1)
    whole = float(((x - x.mean()) ** 2).sum())
    return float((n * (means - x.mean()) ** 2).sum()) / whole if whole > 0 else float("nan")


def _quantiles(n: np.ndarray, level: float) -> np.ndarray:
    """Student's t of each count, worked out once for each; NaN below two."""
    from scipy import stats

    counts, place = np.unique(n, return_inverse=True)
    found = np.full(len(counts), np.nan)
    found[counts > 1] = stats.t.ppf((1 + level) / 2, counts[counts > 1] - 1)
    return found[place.reshape(-1)]
