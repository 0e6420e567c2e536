"""Means of systems with their intervals: the one method of ``score``, ``compare`` and ``meta``.

An interval is the middle of the means of resamples of whole clusters (documents: items that share a context or a dialogue). The
clusters of a system are numbered by the hash of their names and drawn from the seed and the system's name, so that every command
draws the same resamples whatever the order of the file, and clusters without a number take part. Above ``CLUSTERS`` of them, blocks
of clusters are drawn: their sums are as independent as clusters are, and memory is bounded.

Without clusters (units that nothing joins) it is ``mean ± t · sd / √n`` on n − 1 degrees of freedom.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from hashlib import blake2b

import numpy as np

from dialometer.core.errors import UsageError
from dialometer.stats.resample import bootstrap_weights, percentile_interval, seed_for

LEVELS = (0.90, 0.95)
CLUSTERS = 4096  # that are resampled one by one


@dataclass(frozen=True)
class Mean:
    """A system's mean, its items' standard deviation, and an interval per level; NaN where there are too few."""

    mean: float
    sd: float
    n: int
    clusters: int
    intervals: dict[float, tuple[float, float]]
    method: str  # t or bootstrap


def cluster_hash(name: str) -> int:
    """The number by which a cluster is ordered among those of its system."""
    return int.from_bytes(blake2b(name.encode("utf-8", "surrogatepass"), digest_size=8).digest(), "little")


def cluster_codes(hashes: np.ndarray, most: int = CLUSTERS) -> tuple[np.ndarray, int]:
    """Number one system's clusters by their hashes, at most ``most`` of them; returns a number per row, and how many there are."""
    kinds, codes = np.unique(hashes, return_inverse=True)
    return codes.reshape(-1) % most, min(len(kinds), most)


def draw_clusters(system: str, clusters: int, *, resamples: int, seed: int) -> np.ndarray | None:
    """(resamples, clusters): how often each cluster of a system is drawn; None where nothing can be drawn."""
    if clusters < 2 or resamples < 2:
        return None
    return bootstrap_weights(clusters, resamples, seed_for(seed, "bootstrap", system))


def mean_intervals(
    sums: np.ndarray, counts: np.ndarray, weights: np.ndarray | None, level: float = 0.95
) -> tuple[np.ndarray, np.ndarray]:
    """The interval of the mean of each column, from sums and counts of numbers (clusters, columns) and how often each is drawn.

    NaN where fewer than two clusters have a number: one has no variance.
    """
    if weights is None:
        nothing = np.full(sums.shape[1], np.nan)
        return nothing, nothing.copy()
    with np.errstate(divide="ignore", invalid="ignore"):
        low, high = percentile_interval((weights @ sums) / (weights @ counts), level)
    alone = (counts > 0).sum(axis=0) < 2
    low[alone] = high[alone] = np.nan
    return low, high


def means_table(
    columns: Mapping[str, np.ndarray],
    systems: Sequence[str] | np.ndarray,
    clusters: Sequence[str] | np.ndarray,
    *,
    levels: Sequence[float] = LEVELS,
    resamples: int = 1000,
    seed: int = 0,
) -> dict[str, dict[str, Mean]]:
    """column → system → mean over the items that have a number; ``clusters`` names what each item shares with others."""
    _check_levels(levels)
    table = np.array(list(columns.values()), float).reshape(len(columns), len(systems)).T
    kinds, place = np.unique(np.asarray(clusters).astype(str), return_inverse=True)
    hashes = np.array([cluster_hash(str(name)) for name in kinds], np.uint64)[place.reshape(-1)]
    labels = np.asarray(systems).astype(str)
    made: dict[str, dict[str, Mean]] = {name: {} for name in columns}
    for system in np.unique(labels).tolist():
        rows = np.flatnonzero(labels == system)
        found = _resample_means(table[rows], hashes[rows], system, levels, resamples, seed)
        for name, mean in zip(columns, found, strict=True):
            made[name][system] = mean
    return made


def _resample_means(
    table: np.ndarray, hashes: np.ndarray, system: str, levels: Sequence[float], resamples: int, seed: int
) -> list[Mean]:
    """One system's means, a column each."""
    codes, count = cluster_codes(hashes)
    known = ~np.isnan(table)
    sums, counts = np.zeros((count, table.shape[1])), np.zeros((count, table.shape[1]))
    np.add.at(sums, codes, np.where(known, table, 0.0))
    np.add.at(counts, codes, known)
    weights = draw_clusters(system, count, resamples=resamples, seed=seed)
    ends = {level: mean_intervals(sums, counts, weights, level) for level in levels}
    return [
        Mean(
            *_moments(table[known[:, place], place]), int((counts[:, place] > 0).sum()),
            {level: (float(low[place]), float(high[place])) for level, (low, high) in ends.items()}, "bootstrap",
        )
        for place in range(table.shape[1])
    ]  # fmt: skip


def system_means(
    values: np.ndarray, systems: Sequence[str] | np.ndarray, *, levels: Sequence[float] = LEVELS
) -> dict[str, Mean]:
    """The mean of every system over its independent items that have a number, in the order of their names, with t intervals."""
    from scipy import stats

    _check_levels(levels)
    values, labels = np.asarray(values, float), np.asarray(systems)
    made = {}
    for name in np.unique(labels):
        own = values[(labels == name) & ~np.isnan(values)]
        mean, sd, n = _moments(own)
        half = {
            level: float(stats.t.ppf((1 + level) / 2, n - 1)) * sd / np.sqrt(n) if n > 1 else np.nan for level in levels
        }
        ends = {level: (float(mean - width), float(mean + width)) for level, width in half.items()}
        made[str(name)] = Mean(mean, sd, n, n, ends, "t")
    return made


def _check_levels(levels: Sequence[float]) -> None:
    if not all(0 < level < 1 for level in levels):
        raise UsageError("the level of an interval lies between 0 and 1", "0.9 0.95")


def _moments(values: np.ndarray) -> tuple[float, float, int]:
    """Mean, standard deviation and number."""
    n = len(values)
    return float(values.mean()) if n else float("nan"), float(values.std(ddof=1)) if n > 1 else float("nan"), n
