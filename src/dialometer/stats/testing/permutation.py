"""Exact permutation p-values: all n! orders of the ratings, for ten pairs at most.

``p = #{π : |T(π)| ≥ |T|} / n!``, where T is the part of a coefficient that an order changes: a sum of products of values
(Pearson) or ranks (Spearman), or of signs of differences (Kendall). No order is visited. A sum of products is split in two halves,
whose orders are listed and paired by bisection: 2·5!·252 sums stand for 10! orders. Signs are summed over sets of ratings
already placed, 2¹⁰ of them, whatever their order.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from itertools import combinations

import numpy as np

from dialometer.stats.correlation.weighted import Levels, standardise

EXACT = 10  # pairs up to which all orders are counted
SLACK = 1e-9  # sums that differ by less are ties that rounding pulled apart


def exact_p(columns: Sequence[np.ndarray], y: np.ndarray, kind: str) -> np.ndarray:
    """Two-sided p of each column against y; all have the same rows, 3 to EXACT of them. NaN where a side is constant.

    >>> exact_p([np.array([1.0, 2.0, 3.0])], np.array([1.0, 3.0, 9.0]), "spearman").tolist()
    [0.3333333333333333]
    """
    y = np.asarray(y, float)
    found = np.full(len(columns), np.nan)
    known: dict[tuple[int, ...], np.ndarray] = {}  # columns with the same ties share Kendall's counts
    for place, x in enumerate(columns):
        x = np.asarray(x, float)
        if not (x.max() > x.min() and y.max() > y.min()):
            continue
        if kind == "kendall":
            runs = tuple(np.unique(x, return_counts=True)[1].tolist())
            known[runs] = counts = known[runs] if runs in known else _sign_counts(runs, mean_ranks(y))
            found[place] = _beyond(counts, abs(int((_signs(mean_ranks(x)) * _signs(mean_ranks(y))).sum())) // 2)
        else:
            numbers = standardise if kind == "pearson" else mean_ranks
            found[place] = _share(standardise(numbers(x)), standardise(numbers(y)))
    return found


def mean_ranks(values: np.ndarray) -> np.ndarray:
    """Ranks from 1, ties at their mean.

    >>> mean_ranks(np.array([7.0, 5.0, 7.0])).tolist()
    [2.5, 1.0, 2.5]
    """
    found = Levels.of(values)
    tied = np.diff(found.ends, prepend=0)
    return np.asarray((found.ends - (tied - 1) / 2)[found.level])


def _share(x: np.ndarray, y: np.ndarray) -> float:
    """The share of orders of y whose sum of products with x is at least as far from 0 as the given one."""
    least = abs(float(x @ y)) - SLACK
    if least <= 0:
        return 1.0
    cut = len(x) // 2
    extreme = total = 0
    for chosen in combinations(range(len(x)), cut):
        first, last = y[list(chosen)], np.delete(y, chosen)
        one, other = first[_orders(cut)] @ x[:cut], np.sort(last[_orders(len(last))] @ x[cut:])
        above = len(other) - np.searchsorted(other, least - one, side="left")
        extreme += int((above + np.searchsorted(other, -least - one, side="right")).sum())
        total += len(one) * len(other)
    return extreme / total


def _sign_counts(runs: tuple[int, ...], y: np.ndarray) -> np.ndarray:
    """How many ways of dealing the ratings to runs of tied scores have which T, from −n(n−1)/2 up.

    Runs are filled from the lowest score up; what a run adds depends on the ratings in it and on those still to come.
    """
    n = len(y)
    most = n * (n - 1) // 2
    above = (_signs(y) @ ((np.arange(1 << n)[None, :] >> np.arange(n)[:, None]) & 1)).astype(int).tolist()
    start = np.zeros(2 * most + 1, np.int64)
    start[most] = 1
    reached = {0: start}
    for size in runs:
        further: dict[int, np.ndarray] = {}
        for used, ways in reached.items():
            free = [i for i in range(n) if not used >> i & 1]
            for chosen in combinations(free, size):
                now = used | sum(1 << i for i in chosen)
                left = ((1 << n) - 1) ^ now
                moved = np.roll(ways, -sum(above[i][left] for i in chosen))
                further[now] = further[now] + moved if now in further else moved
        reached = further
    return reached[(1 << n) - 1]


def _beyond(counts: np.ndarray, least: int) -> float:
    """The share of T at ``least`` or farther from 0."""
    middle = len(counts) // 2
    inside = counts[middle - least + 1 : middle + least].sum() if least else 0
    return float((counts.sum() - inside) / counts.sum())


def _signs(values: np.ndarray) -> np.ndarray:
    """The sign of every difference."""
    return np.sign(values[:, None] - values[None, :])


@cache
def _orders(n: int) -> np.ndarray:
    """All n! orders of 0 … n−1."""
    if n < 2:
        return np.zeros((1, n), np.int8)
    shorter = _orders(n - 1)
    blocks = []
    for first in range(n):
        rest = np.delete(np.arange(n, dtype=np.int8), first)[shorter]
        blocks.append(np.concatenate([np.full((len(rest), 1), first, np.int8), rest], axis=1))
    return np.concatenate(blocks)
