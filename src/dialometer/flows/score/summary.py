"""From statistics to the table: per system the mean of items with its interval, the corpus value, the share at the floor."""

from __future__ import annotations

from typing import Any

import numpy as np

from dialometer.contracts.score import ScoreCell
from dialometer.flows.score.clusters import Clusters
from dialometer.flows.score.measure import Measure
from dialometer.flows.score.shards import Shards
from dialometer.stats.means import draw_clusters, mean_intervals
from dialometer.stats.resample import jackknife_interval, percentile_interval
from dialometer.text.corpus import Corpus

FLOOR = 1e-9  # Liu et al. 2016, §5: BLEU-4 was above this for four examples only
BLOCKS = 20


def summarise(
    metrics: tuple[Any, ...], task: Measure, clusters: Clusters, *, resamples: int, seed: int
) -> list[list[list[ScoreCell]]]:
    """Cells by metric, system and column of additive metrics; all share the resamples of a system."""
    sums = [_sums(metric, number, task, clusters) for number, metric in enumerate(metrics)]
    cells: list[list[list[ScoreCell]]] = [[] for _ in metrics]
    for system, name in enumerate(clusters.names):
        weights = draw_clusters(name, clusters.counts[system], resamples=resamples, seed=seed)
        for metric, (values, statistics, floors), rows in zip(metrics, sums, cells, strict=True):
            rows.append(_cells(metric, values[system], statistics[system], floors[system], weights))
    return cells


def _cells(
    metric: Any, values: np.ndarray, statistics: np.ndarray, floors: np.ndarray, weights: np.ndarray | None
) -> list[ScoreCell]:
    """One system's cells from its clusters' sums."""
    total = values.sum(axis=0)
    n, mean = total[1::2], _ratio(total)
    corpus = metric.finish(statistics.sum(axis=0), level="corpus")
    low, high = mean_intervals(values[:, 0::2], values[:, 1::2], weights)
    corpus_low = corpus_high = np.full(len(mean), np.nan)
    if weights is not None:
        corpus_low, corpus_high = percentile_interval(metric.finish(weights @ statistics, level="corpus"))
        alone = (values[:, 1::2] > 0).sum(axis=0) < 2  # one cluster tells nothing of the spread
        corpus_low[alone] = corpus_high[alone] = np.nan
    share = np.divide(floors, n, out=np.full(len(n), np.nan), where=n > 0)
    return [_cell(*column) for column in zip(mean, low, high, n, share, corpus, corpus_low, corpus_high, strict=True)]


def summarise_set(metric: Any, shards: Shards, clusters: Clusters, *, resamples: int) -> list[list[ScoreCell]]:
    """Cells of a metric of whole sets: its value, and an interval by leaving out one block of documents at a time."""
    cells = []
    for system, texts in enumerate(_responses(shards, clusters)):
        corpus = Corpus.of(texts)
        rows = np.arange(len(corpus))
        whole = metric.score(corpus, rows)
        low = high = np.full(len(whole), np.nan)
        blocks = min(BLOCKS, clusters.counts[system])
        if blocks > 1 and resamples > 1:
            block = (
                np.concatenate([d[s == system] for d, s in zip(clusters.documents, clusters.systems, strict=True)]) % blocks
            )
            low, high = jackknife_interval(whole, np.array([metric.score(corpus, rows[block != b]) for b in range(blocks)]))
        floors = _at_floor(metric, whole)
        cells.append([_cell(v, a, b, len(rows), f, v, a, b) for v, a, b, f in zip(whole, low, high, floors, strict=True)])
    return cells


def _sums(
    metric: Any, number: int, task: Measure, clusters: Clusters
) -> tuple[list[np.ndarray], list[np.ndarray], list[np.ndarray]]:
    """Per system and cluster the sums of (value, scored) pairs and of statistics; per system the items at the floor."""
    width = len(metric.columns)
    values = [np.zeros((count, 2 * width)) for count in clusters.counts]
    statistics: list[np.ndarray] = []
    floors = [np.zeros(width) for _ in clusters.names]
    for shard, (systems, documents) in enumerate(zip(clusters.systems, clusters.documents, strict=True)):
        rows = np.asarray(task.rows(number, shard))
        if not statistics:
            statistics = [np.zeros((count, rows.shape[1])) for count in clusters.counts]
        items = metric.finish(rows, level="item")
        scored = ~np.isnan(items)
        pairs = np.stack([np.where(scored, items, 0.0), scored], axis=-1).reshape(len(items), 2 * width)
        for system in np.unique(systems).tolist():
            member = systems == system
            codes = documents[member]
            _add(values[system], codes, pairs[member])
            _add(statistics[system], codes, rows[member])
            floors[system] += np.where(scored, _at_floor(metric, items), 0.0)[member].sum(axis=0)
    return values, statistics, floors


def _at_floor(metric: Any, values: np.ndarray) -> np.ndarray:
    """1 where nothing was found, 0 elsewhere; NaN under metrics that have no floor, such as a length."""
    floor = getattr(metric, "floor", FLOOR)
    return np.where(np.isnan(floor), np.nan, np.abs(values) <= floor)


def _add(sums: np.ndarray, codes: np.ndarray, rows: np.ndarray) -> None:
    for column in range(rows.shape[1]):
        sums[:, column] += np.bincount(codes, rows[:, column], len(sums))


def _ratio(sums: np.ndarray) -> np.ndarray:
    """Means of (value, scored) pairs."""
    with np.errstate(divide="ignore", invalid="ignore"):
        return sums[..., 0::2] / sums[..., 1::2]


def _cell(mean: float, low: float, high: float, n: float, floor: float, *corpus: float) -> ScoreCell:
    return ScoreCell(float(mean), float(low), float(high), int(n), float(floor), *map(float, corpus))


def _responses(shards: Shards, clusters: Clusters) -> list[list[str]]:
    """All responses of each system, in order."""
    texts: list[list[str]] = [[] for _ in clusters.names]
    for corpus, systems in zip(shards.corpora(), clusters.systems, strict=True):
        strings = list(corpus.texts)
        for row, system in zip(corpus.response.tolist(), systems.tolist(), strict=True):
            texts[system].append(strings[row])
    return texts
