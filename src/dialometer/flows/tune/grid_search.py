"""Tuning of AM-FM against ratings: dimensions k, order n and weight λ, chosen inside folds and evaluated outside them.

AM depends on k alone, FM on n alone, so a grid of variants costs one measurement per k and one per n.
"""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import product
from typing import Any

import numpy as np

from dialometer.core.errors import NeedsError
from dialometer.core.protocols import Progress
from dialometer.core.registry import create
from dialometer.metrics.amfm import combine
from dialometer.stats.correlation.correlate import pearson
from dialometer.text.corpus import Corpus

_log = logging.getLogger(__name__)
Variant = tuple[int, int, float]  # k, n, λ


@dataclass(frozen=True)
class Grid:
    """The values that are tried: every combination is a variant."""

    ks: tuple[int, ...] = (5, 10, 20, 50, 100, 200)
    orders: tuple[int, ...] = (1, 2, 3)
    weights: tuple[float, ...] = tuple(step / 10 for step in range(11))

    def variants(self) -> list[Variant]:
        """All of them, the simplest first: ties go to the smaller model."""
        return list(product(self.ks, self.orders, self.weights))


@dataclass(frozen=True)
class Parts:
    """AM by k and FM by n of every item, and the fitted parts."""

    am: Mapping[int, np.ndarray]
    fm: Mapping[int, np.ndarray]
    encoder: Any
    likelihoods: Mapping[int, Any]
    mean: str

    def scores(self, variant: Variant) -> np.ndarray:
        """AM-FM of every item."""
        k, n, weight = variant
        return combine(self.am[k], self.fm[n], weight, self.mean)


@dataclass(frozen=True)
class GridSearch:
    """The variant chosen on all units, those that each fold chose, and the correlation on units that no choice used."""

    chosen: Variant
    folds: tuple[Variant, ...]
    inside: float
    held_out: float
    held_out_mean: float
    variants: int
    n: int


def measure_parts(metric: Any, corpus: Corpus, dialogues: Sequence[Sequence[str]], grid: Grid, progress: Progress) -> Parts:
    """Fit the encoder once with the most dimensions and the model of each order, and measure."""
    encoder, grid = _widest(metric, dialogues, grid)
    progress("tuning", 1, 1 + len(grid.orders) + len(grid.ks))
    likelihoods = {n: replace(create("likelihood", metric.fm), order=n).fit(dialogues) for n in grid.orders}
    small = encoder.truncated(min(grid.ks))
    am, fm = {}, {}
    column = list(metric.columns).index
    for n in grid.orders:
        rows = replace(metric, parts=(small, likelihoods[n])).measure(corpus)
        fm[n] = _values(rows, 1 + column("fm"))
        progress("tuning", 1 + len(fm), 1 + len(grid.orders) + len(grid.ks))
    first = likelihoods[grid.orders[0]]
    for k in grid.ks:
        rows = replace(metric, parts=(encoder.truncated(k), first)).measure(corpus)
        am[k] = _values(rows, 1 + column("am"))
        progress("tuning", 1 + len(fm) + len(am), 1 + len(grid.orders) + len(grid.ks))
    return Parts(am, fm, encoder, likelihoods, metric.mean)


def _widest(metric: Any, dialogues: Sequence[Sequence[str]], grid: Grid) -> tuple[Any, Grid]:
    """The encoder with as many dimensions as asked for and the text has; a k above its rank is left out, with a warning."""
    try:
        return replace(create("encoder", metric.am), k=max(grid.ks)).fit(dialogues), grid
    except NeedsError as error:
        if len(grid.ks) < 2:
            raise NeedsError(error.message, "--ks with smaller numbers, or more text") from None
        _log.warning("k = %d is left out: %s", max(grid.ks), error.message)
        return _widest(metric, dialogues, replace(grid, ks=grid.ks[:-1]))


def _values(rows: np.ndarray, column: int) -> np.ndarray:
    return np.where(rows[:, 0] > 0, rows[:, column], np.nan)


def by_unit(scores: np.ndarray, units: np.ndarray) -> np.ndarray:
    """Means over the items of each unit, numbered 0, 1 …; items are units of their own at item level."""
    known = ~np.isnan(scores)
    with np.errstate(invalid="ignore"):
        return np.asarray(
            np.bincount(units[known], scores[known], minlength=units.max() + 1)
            / np.bincount(units[known], minlength=units.max() + 1)
        )


def choose(tables: Mapping[Variant, np.ndarray], target: np.ndarray, rows: np.ndarray) -> tuple[Variant, float]:
    """The variant with the highest Pearson correlation on these rows, the simplest of equals."""
    best, reached = next(iter(tables)), -np.inf
    for variant, values in tables.items():
        r = pearson(values[rows], target[rows])
        if r > reached + 1e-12:
            best, reached = variant, r
    if not np.isfinite(reached):
        raise NeedsError("no variant of amfm correlates at all: scores or ratings do not vary", "more rated items")
    return best, float(reached)


def tune(parts: Parts, units: np.ndarray, target: np.ndarray, folds: np.ndarray, grid: Grid) -> GridSearch:
    """Choose on all units; and once per fold on the others, to correlate what was not looked at.

    ``target`` and ``folds`` have one entry per unit. Held-out scores are put on the scale of the units they were chosen on, because
    folds may choose different variants; the mean over folds is taken where a fold has four units or more.
    """
    tables = {variant: by_unit(parts.scores(variant), units) for variant in grid.variants()}
    known = np.flatnonzero(~np.isnan(target) & ~np.isnan(next(iter(tables.values()))))
    if len(known) < 4:
        raise NeedsError(f"tuning needs 4 rated units or more; there are {len(known)}", "more systems, or --level item")
    largest = np.unique(folds[known], return_counts=True)[1].max()
    if len(known) - largest < 3:
        raise NeedsError(
            f"tuning needs 3 units outside each fold; one fold holds {largest} of {len(known)}",
            "items of more contexts (or systems), or more --folds",
        )
    chosen, inside = choose(tables, target, known)
    picks, held_out, alone = [], np.full(len(target), np.nan), []
    for fold in np.unique(folds[known]):
        rest, out = known[folds[known] != fold], known[folds[known] == fold]
        pick, _ = choose(tables, target, rest)
        picks.append(pick)
        values = tables[pick]
        held_out[out] = (values[out] - values[rest].mean()) / (values[rest].std() or 1)
        if len(out) >= 4:
            alone.append(pearson(values[out], target[out]))
    mean = float(np.nanmean(alone)) if alone else float("nan")
    return GridSearch(chosen, tuple(picks), inside, pearson(held_out[known], target[known]), mean, len(tables), len(known))
