"""How much each column moves under each perturbation: paired differences over the changed items, whole documents resampled."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from dialometer.core.types import Scores
from dialometer.flows.score.clusters import BLOCKS
from dialometer.flows.score.summary import BLOCKS as LEFT_OUT
from dialometer.flows.stress.perturb import ORIGINAL, Spoilt, row_name
from dialometer.flows.stress.verdict import NOISE, verdict
from dialometer.stats.resample import bootstrap_weights, jackknife_interval, percentile_interval, seed_for
from dialometer.text.corpus import Corpus
from dialometer.text.perturb import PERTURBATIONS

EQUAL = 1e-12  # scores that differ by less are equal: their spread is rounding


@dataclass(frozen=True)
class Reaction:
    """One column under one perturbation; NaN where nothing was changed or scored.

    ``delta`` is the mean of perturbed − original over the ``scored`` of the ``changed`` of ``n`` items, with its 95% interval;
    ``effect`` is delta in standard deviations of the original scores of all items, NaN for numbers of a whole set.
    """

    metric: str
    perturbation: str
    delta: float
    low: float
    high: float
    effect: float
    original: float
    perturbed: float
    n: int
    changed: int
    scored: int
    expected: str
    verdict: str


def item_reactions(
    scores: Scores, columns: dict[str, bool], spoilt: Spoilt, *, resamples: int, seed: int
) -> list[Reaction]:
    """Reactions of columns that have a value per item; ``columns`` says which of them judge quality."""
    row = {name: number for number, name in enumerate(scores.items)}
    values = np.stack([scores.columns[name] for name in columns], axis=1)

    def of(system: str) -> np.ndarray:
        return values[[row[row_name(item.id, system)] for item in spoilt.items]]

    before = of(ORIGINAL)
    spread = _spread(before)
    documents = np.unique([item.document for item in spoilt.items], return_inverse=True)[1]
    found: list[Reaction] = []
    for name, responses in spoilt.responses.items():
        changed = np.array([text is not None for text in responses])
        old, new = before[changed], of(name)[changed]
        low, high = _interval(new - old, documents[changed], resamples, seed_for(seed, "stress", name))
        counts = len(changed), int(changed.sum())
        for at, (column, judges) in enumerate(columns.items()):
            interval = float(low[at]), float(high[at])
            found.append(_reaction(column, name, old[:, at], new[:, at], interval, float(spread[at]), counts, judges))
    return found


def _reaction(
    column: str, name: str, old: np.ndarray, new: np.ndarray, interval: tuple[float, float], spread: float,
    counts: tuple[int, int], judges: bool,
) -> Reaction:  # fmt: skip
    """One cell from the scores of the changed items before and after."""
    seen = ~np.isnan(old) & ~np.isnan(new)
    before, after, delta = (_mean(values[seen]) for values in (old, new, new - old))
    effect = delta / spread if spread > 0 else math.nan
    expected = PERTURBATIONS[name].expected
    said = verdict(expected, *interval, effect, NOISE * spread if spread > 0 else 0.0) if judges else ""
    return Reaction(column, name, delta, *interval, effect, before, after, *counts, int(seen.sum()), expected, said)


def _mean(values: np.ndarray) -> float:
    return float(values.mean()) if len(values) else math.nan


def set_reactions(metric: Any, labels: tuple[str, ...], spoilt: Spoilt) -> list[Reaction]:
    """Reactions of a metric of whole sets: its value over the changed items before and after.

    Without a verdict: such a number describes the set, and says nothing of a response in its context.
    """
    found: list[Reaction] = []
    documents = np.unique([item.document for item in spoilt.items], return_inverse=True)[1]
    for name, responses in spoilt.responses.items():
        rows = [number for number, text in enumerate(responses) if text is not None]
        texts = [spoilt.items[row].response for row in rows], [responses[row] or "" for row in rows]
        values = _set_values(metric, len(labels), texts, documents[rows])
        expected = PERTURBATIONS[name].expected
        for label, old, new, low, high in zip(labels, *(side.tolist() for side in values), strict=True):
            numbers = new - old, low, high, math.nan, old, new
            found.append(Reaction(label, name, *numbers, len(responses), len(rows), len(rows), expected, ""))
    return found


def _set_values(metric: Any, width: int, texts: tuple[list[str], list[str]], documents: np.ndarray) -> list[np.ndarray]:
    """Value before, value after, and the bounds of their difference by leaving out one block of documents at a time."""
    nothing = np.full(width, np.nan)
    if not len(documents):
        return [nothing] * 4
    corpora, rows = [Corpus.of(side) for side in texts], np.arange(len(documents))
    block = np.unique(documents, return_inverse=True)[1] % LEFT_OUT
    before, after = (metric.score(corpus, rows) for corpus in corpora)
    if block.max() < 1:
        return [before, after, nothing, nothing]
    without = [np.array([metric.score(c, rows[block != b]) for b in range(block.max() + 1)]) for c in corpora]
    return [before, after, *jackknife_interval(after - before, without[1] - without[0])]


def _spread(values: np.ndarray) -> np.ndarray:
    """The standard deviation of each column over its scored items; NaN for fewer than two."""
    seen = ~np.isnan(values)
    n = seen.sum(axis=0)
    with np.errstate(invalid="ignore", divide="ignore"):
        off = np.where(seen, values - np.where(seen, values, 0.0).sum(axis=0) / n, 0.0)
        found = np.where(n > 1, np.sqrt((off**2).sum(axis=0) / (n - 1)), np.nan)
    return np.where(found < EQUAL, 0.0, found)


def _interval(delta: np.ndarray, documents: np.ndarray, resamples: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """95% intervals of the mean difference; NaN where fewer than two documents have one."""
    codes = np.unique(documents, return_inverse=True)[1] % BLOCKS
    clusters, width = int(codes.max(initial=-1)) + 1, delta.shape[1]
    nothing = np.full(width, np.nan)
    if clusters < 2 or resamples < 2:
        return nothing, nothing
    seen = ~np.isnan(delta)
    sums, counts = np.zeros((clusters, width)), np.zeros((clusters, width))
    np.add.at(sums, codes, np.where(seen, delta, 0.0))
    np.add.at(counts, codes, seen)
    weights = bootstrap_weights(clusters, resamples, seed)
    with np.errstate(invalid="ignore", divide="ignore"):
        low, high = percentile_interval((weights @ sums) / (weights @ counts))
    alone = (counts > 0).sum(axis=0) < 2
    return np.where(alone, np.nan, low), np.where(alone, np.nan, high)
