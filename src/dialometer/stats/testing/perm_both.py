"""Permutation tests between metrics: the difference of two correlations with ratings, against exchanged scores.

Scores are standardised per metric; then those of metrics a and b are swapped at random, and the difference of their correlations
is taken again: ``p = (1 + #{|δ'| ≥ |δ|}) / (1 + permutations)``, two-sided. What is swapped together (Deutsch, Dror & Roth 2021,
"A statistical analysis of summarization evaluation metrics using resampling methods"): whole systems (PERM-SYS), whole inputs
(PERM-INPUT), or both, systems first and inputs after (PERM-BOTH), so that an item is swapped where just one of its two coins says
so. An item without a named input is an input of its own. A system need not have answered every input.

A test holds its size where what it swaps could be exchanged. PERM-BOTH and PERM-INPUT mix the scores of a system, so they take a
metric's preference for single systems for a signal and reject too often where there is one; PERM-SYS does not, but has little
to swap with few systems.

All pairs of metrics share the swaps; each pair is taken over the items that both metrics and the ratings have. Correlations are
signed: turn a metric that falls where quality rises before comparing it. Infinite scores have no standard form: NaN.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Literal

import numpy as np

from dialometer.core.errors import NeedsError, UnknownName
from dialometer.core.protocols import Progress
from dialometer.stats.correlation.correlate import KINDS
from dialometer.stats.correlation.system_level import LEAST
from dialometer.stats.correlation.weighted import LANES, standardise
from dialometer.stats.resample import seed_for
from dialometer.stats.testing.swap_permutations import (
    Differences,
    SwappedKendall,
    SwappedPearson,
    SwappedSpearman,
    SwappedSystems,
)

Swap = Literal["both", "system", "input"]
Level = Literal["item", "system"]
Labels = Sequence[str] | np.ndarray | None
SLACK = 1e-10  # differences that rounding alone pulls apart
PIECE = 1 << 21  # coins held at once
OVER_ITEMS: dict[str, Callable[[np.ndarray, np.ndarray, np.ndarray], Differences]] = {
    "pearson": SwappedPearson,
    "spearman": SwappedSpearman,
    "kendall": SwappedKendall,
}


@dataclass(frozen=True)
class Permuted:
    """Two metrics: the difference of their correlations (a less b), its two-sided p, and the items (or systems) behind it."""

    a: str
    b: str
    difference: float
    p: float
    n: int


@dataclass(frozen=True)
class Coins:
    """Which items are swapped: coins per system, per input, or both."""

    system: np.ndarray
    own: np.ndarray
    swap: Swap
    seed: int

    def blocks(self, permutations: int) -> Iterator[np.ndarray]:
        """(permutations, items) of 0 and 1, a bounded number at a time."""
        rng = np.random.default_rng(seed_for(self.seed, "swap", self.swap))
        rows = max(LANES, PIECE // max(len(self.own), 1) // LANES * LANES)
        for start in range(0, permutations, rows):
            size = min(rows, permutations - start)
            systems = rng.integers(0, 2, (size, int(self.system.max(initial=0)) + 1), dtype=np.int8)[:, self.system]
            inputs = rng.integers(0, 2, (size, int(self.own.max(initial=0)) + 1), dtype=np.int8)[:, self.own]
            yield {"both": systems ^ inputs, "system": systems, "input": inputs}[self.swap].astype(float)


def perm_test(
    columns: Mapping[str, np.ndarray],
    y: np.ndarray,
    *,
    kind: str = "pearson",
    level: Level = "item",
    swap: Swap = "both",
    systems: Labels = None,
    inputs: Labels = None,
    permutations: int = 1000,
    seed: int = 0,
    progress: Progress | None = None,
) -> list[Permuted]:
    """Every pair of columns, in order; NaN where a correlation is undefined, or over fewer than four systems."""
    if kind not in KINDS:
        raise UnknownName("coefficient", kind, KINDS, "pearson, spearman or kendall")
    if systems is None and (level == "system" or swap == "system"):
        raise NeedsError(
            "swapping or averaging systems needs each item's system", "name them, or compare over items and inputs"
        )
    y = np.asarray(y, float)
    coins = Coins(_codes(systems, np.zeros(len(y), int)), _codes(inputs, np.arange(len(y))), swap, seed)
    values = np.array([np.asarray(column, float) for column in columns.values()]).reshape(len(columns), len(y))
    patterns = _patterns(values, y)
    found: dict[tuple[int, int], tuple[float, float, int]] = {}
    for number, (key, pairs) in enumerate(patterns.items()):
        rows = np.frombuffer(key, np.int64)
        told = None if progress is None else _part(progress, number * permutations, len(patterns) * permutations)
        used, places = np.unique(pairs, return_inverse=True)
        scores = np.array([standardise(values[column][rows]) for column in used]).T.reshape(len(rows), len(used))
        label = coins.system[rows] if level == "system" else None
        n = len(rows) if label is None else len(np.unique(label))
        difference = (
            _differences(scores, y[rows], places.reshape(-1, 2), kind, label)
            if n >= (3 if label is None else LEAST)
            else None
        )
        observed, p = (
            _permutation_p(difference, rows, coins, permutations, told) if difference else np.full((2, len(pairs)), np.nan)
        )
        found |= {pair: (float(d), float(v), n) for pair, d, v in zip(pairs, observed, p, strict=True)}
    names = list(columns)
    return [Permuted(names[a], names[b], *found[a, b]) for a, b in combinations(range(len(names)), 2)]


def _codes(labels: Labels, otherwise: np.ndarray) -> np.ndarray:
    """Labels as numbers from 0."""
    return otherwise if labels is None else np.unique(np.asarray(labels), return_inverse=True)[1]


def _patterns(values: np.ndarray, y: np.ndarray) -> dict[bytes, list[tuple[int, int]]]:
    """Pairs of columns by the rows that both, and the ratings, have."""
    there = ~np.isnan(values) & ~np.isnan(y)
    found: dict[bytes, list[tuple[int, int]]] = {}
    for a, b in combinations(range(len(values)), 2):
        found.setdefault(np.flatnonzero(there[a] & there[b]).astype(np.int64).tobytes(), []).append((a, b))
    return found


def _differences(
    scores: np.ndarray, y: np.ndarray, pairs: np.ndarray, kind: str, systems: np.ndarray | None
) -> Differences:
    """What turns swaps into differences at this level."""
    return OVER_ITEMS[kind](scores, y, pairs) if systems is None else SwappedSystems(scores, y, pairs, systems, kind)


def _permutation_p(
    difference: Differences, rows: np.ndarray, coins: Coins, permutations: int, progress: Progress | None
) -> tuple[np.ndarray, np.ndarray]:
    """The differences as they are, and the share of swaps that give one as large; a swap that leaves none counts as one."""
    observed = difference(np.zeros((1, len(rows))))[0]
    extreme = np.ones(len(observed))
    done = 0
    for block in coins.blocks(permutations):
        drawn = np.abs(difference(block[:, rows]))
        extreme += (~(drawn < np.abs(observed) - SLACK)).sum(axis=0)
        done += len(block)
        if progress:
            progress("permuting", done, permutations)
    untested = np.isnan(observed) if permutations else np.ones(len(observed), bool)
    return observed, np.where(untested, np.nan, extreme / (1 + permutations))


def _part(progress: Progress, before: int, total: int) -> Progress:
    """A progress that counts one part of several."""
    return lambda stage, done, _: progress(stage, before + done, total)
