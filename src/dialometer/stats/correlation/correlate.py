"""Correlation with its p-value and interval: Pearson's r, Spearman's ρ and Kendall's τ-b, resampled by whole clusters.

Two-sided p-values are those of scipy (r and ρ: Student's t with n − 2 degrees of freedom; τ: ``kendalltau``, exact up to 33 pairs
without ties and normal otherwise), and exact over all orders up to ten pairs. They take items for independent; the interval does
not: it is the middle 95% of a bootstrap over whole clusters (contexts), the same resamples for every column.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from dialometer.core.errors import UnknownName, UsageError
from dialometer.core.protocols import Progress
from dialometer.stats.correlation.kendall import WeightedKendall, kendall
from dialometer.stats.correlation.weighted import (
    Weighted,
    WeightedPearson,
    WeightedSpearman,
    both,
    ratio,
    standardise,
    weight_blocks,
)
from dialometer.stats.resample import percentile_interval
from dialometer.stats.testing.permutation import EXACT, exact_p, mean_ranks

KINDS = ("pearson", "spearman", "kendall")
NAN = float("nan")


@dataclass(frozen=True)
class Correlation:
    """A coefficient, its two-sided p-value, its 95% interval, the pairs behind it, and how p was made (t, scipy, exact)."""

    r: float
    p: float
    low: float
    high: float
    n: int
    test: str = ""


def pearson(x: np.ndarray, y: np.ndarray) -> float:
    """Pearson's r; NaN where a side is constant, a number is missing or infinite, or there are fewer than three pairs.

    >>> pearson(np.array([1.0, 2.0, 3.0]), np.array([2.0, 4.0, 6.0]))
    1.0
    """
    a, b = standardise(np.asarray(x, float)), standardise(np.asarray(y, float))
    return float(ratio(np.dot(a, b), np.dot(a, a), np.dot(b, b), np.asarray(len(a))))


def spearman(x: np.ndarray, y: np.ndarray) -> float:
    """Spearman's ρ with ties at their mean rank; NaN as for Pearson's r, but an infinite number has a rank."""
    x, y = np.asarray(x, float), np.asarray(y, float)
    if len(x) < 3 or np.isnan(x).any() or np.isnan(y).any():
        return NAN
    return pearson(mean_ranks(x), mean_ranks(y))


COEFFICIENTS: dict[str, Callable[[np.ndarray, np.ndarray], float]] = {
    "pearson": pearson,
    "spearman": spearman,
    "kendall": kendall,
}
WEIGHTED: dict[str, Callable[[Sequence[np.ndarray], np.ndarray, np.ndarray, int], Weighted]] = {
    "pearson": WeightedPearson,
    "spearman": WeightedSpearman,
    "kendall": WeightedKendall,
}


def correlate(
    x: np.ndarray,
    y: np.ndarray,
    clusters: np.ndarray | None = None,
    *,
    kind: str = "pearson",
    resamples: int = 1000,
    seed: int = 0,
) -> Correlation:
    """A correlation over the pairs that have both numbers, with a bootstrap over clusters (items, where none are given)."""
    return correlate_table({"": x}, y, clusters, kinds=(kind,), resamples=resamples, seed=seed)[""][kind]


def correlate_table(
    columns: Mapping[str, np.ndarray],
    y: np.ndarray,
    clusters: np.ndarray | Sequence[str] | None = None,
    *,
    kinds: Sequence[str] = KINDS,
    resamples: int = 1000,
    seed: int = 0,
    progress: Progress | None = None,
) -> dict[str, dict[str, Correlation]]:
    """Every column against y, each over the pairs that have both numbers: name → kind → correlation."""
    y, values, own = _align(columns, y, clusters)
    pairs = [both(x, y) for x in values]
    found: dict[str, dict[str, Correlation]] = {name: {} for name in columns}
    for number, kind in enumerate(kinds):
        told = _within(progress, number * resamples, len(kinds) * resamples)
        r = [_coefficient(kind)(x[rows], y[rows]) for x, rows in zip(values, pairs, strict=True)]
        low, high = _intervals(values, y, own, pairs, kind=kind, resamples=resamples, seed=seed, progress=told)
        tests = p_values(values, y, kind, r)
        for place, name in enumerate(columns):
            p, test = tests[place]
            known = not np.isnan(r[place])
            ends = (float(low[place]), float(high[place])) if known else (NAN, NAN)
            found[name][kind] = Correlation(r[place], p, *ends, len(pairs[place]), test)
    return found


def draw_correlations(
    columns: Sequence[np.ndarray],
    y: np.ndarray,
    clusters: np.ndarray,
    *,
    kind: str,
    resamples: int,
    seed: int,
    progress: Progress | None = None,
) -> np.ndarray:
    """(resamples, columns): the correlation of each column with y in the same resamples, so that differences are paired."""
    _coefficient(kind)
    codes = np.unique(np.asarray(clusters), return_inverse=True)[1]
    draws = np.full((resamples, len(columns)), np.nan)
    if not len(codes) or not len(columns):
        return draws
    count = int(codes.max()) + 1
    values = [np.asarray(x, float) for x in columns]
    weighted = WEIGHTED[kind](values, np.asarray(y, float), codes, count)
    done = 0
    for block in weight_blocks(count, resamples, seed):
        draws[done : done + len(block)] = weighted(block)
        done += len(block)
        if progress:
            progress("resampling", done, resamples)
    return draws


def p_values(columns: Sequence[np.ndarray], y: np.ndarray, kind: str, r: Sequence[float]) -> list[tuple[float, str]]:
    """Each column's p and its test: exact over all orders up to EXACT pairs, else scipy's; NaN where r is."""
    from scipy import stats

    found: list[tuple[float, str]] = [(NAN, "")] * len(columns)
    small: dict[bytes, list[int]] = {}
    for place, x in enumerate(columns):
        rows = both(x, y)
        n = len(rows)
        if np.isnan(r[place]):
            continue
        if n <= EXACT:
            small.setdefault(rows.tobytes(), []).append(place)
        elif kind == "kendall":
            found[place] = float(stats.kendalltau(x[rows], y[rows]).pvalue), "scipy"
        else:
            t = abs(r[place]) * np.sqrt((n - 2) / max(1 - r[place] ** 2, 1e-300))
            found[place] = float(2 * stats.t.sf(t, n - 2)), "t"
    for key, places in small.items():
        rows = np.frombuffer(key, np.int64)
        for place, p in zip(places, exact_p([columns[i][rows] for i in places], y[rows], kind), strict=True):
            found[place] = float(p), "exact"
    return found


def _coefficient(kind: str) -> Callable[[np.ndarray, np.ndarray], float]:
    if kind not in COEFFICIENTS:
        raise UnknownName("coefficient", kind, COEFFICIENTS, "pearson, spearman or kendall")
    return COEFFICIENTS[kind]


def _align(
    columns: Mapping[str, np.ndarray], y: np.ndarray, clusters: np.ndarray | Sequence[str] | None
) -> tuple[np.ndarray, list[np.ndarray], np.ndarray]:
    """Target, columns and clusters over the rows that have a rating and any score: clusters without them are not drawn."""
    y = np.asarray(y, float)
    values = [np.asarray(x, float) for x in columns.values()]
    own = np.arange(len(y)) if clusters is None else np.asarray(clusters)
    for name, x in [*zip(columns, values, strict=True), ("the clusters", own)]:
        if len(x) != len(y):
            raise UsageError(
                f"{name or 'the column'}: {len(x)} values for {len(y)} ratings", "one value per item, NaN for none"
            )
    rated = ~np.isnan(y)
    scored = np.any([~np.isnan(x) for x in values], axis=0) if values else rated
    rows = np.flatnonzero(rated & scored)
    return y[rows], [x[rows] for x in values], np.unique(own[rows], return_inverse=True)[1]


def _intervals(
    values: list[np.ndarray],
    y: np.ndarray,
    own: np.ndarray,
    pairs: list[np.ndarray],
    *,
    kind: str,
    resamples: int,
    seed: int,
    progress: Progress | None,
) -> tuple[np.ndarray, np.ndarray]:
    """The 95% interval of every column; NaN where its pairs lie in one cluster, which has no variance."""
    if not resamples:
        return np.full(len(values), np.nan), np.full(len(values), np.nan)
    draws = draw_correlations(values, y, own, kind=kind, resamples=resamples, seed=seed, progress=progress)
    for place, rows in enumerate(pairs):
        if not len(rows) or np.ptp(own[rows]) == 0:
            draws[:, place] = np.nan
    return percentile_interval(draws)


def _within(progress: Progress | None, before: int, total: int) -> Progress | None:
    """A progress that counts one part of several."""
    if progress is None:
        return None
    return lambda stage, done, _: progress(stage, before + done, total)
