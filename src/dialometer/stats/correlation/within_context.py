"""Within contexts: correlation among several responses to the same context.

Two estimates. *Mean*: the coefficient among the items of each context, averaged over contexts with three items or more and two
sides that vary; the others are left out and counted. *Pooled*: deviations from the context's own mean (of values for Pearson, of
ranks within the context for Spearman) taken together, and for Kendall all pairs within contexts; contexts of two items or more.
Both are ratios of sums over contexts, so resampling contexts is one matrix product.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from dialometer.stats.correlation.correlate import KINDS, NAN
from dialometer.stats.correlation.kendall import kendall_sums
from dialometer.stats.correlation.pairs import all_pairs
from dialometer.stats.correlation.weighted import Levels, both, ratio, standardise, weight_blocks
from dialometer.stats.resample import percentile_interval

LARGE = 64  # items of a context above which its pairs are counted, not listed


@dataclass(frozen=True)
class Within:
    """The mean over contexts and the pooled coefficient, each with its 95% interval and the contexts behind it."""

    mean: float
    low: float
    high: float
    contexts: int
    left_out: int
    pooled: float
    pooled_low: float
    pooled_high: float
    pooled_contexts: int
    n: int
    p: float  # of the mean: Student's t over contexts, each of which counts once


def within_table(
    columns: Mapping[str, np.ndarray],
    y: np.ndarray,
    contexts: Sequence[str] | np.ndarray,
    *,
    kinds: Sequence[str] = KINDS,
    resamples: int = 1000,
    seed: int = 0,
) -> dict[str, dict[str, Within]]:
    """Every column against y within contexts: name → kind → result."""
    return {
        name: {kind: within(x, y, contexts, kind=kind, resamples=resamples, seed=seed) for kind in kinds}
        for name, x in columns.items()
    }


def within(
    x: np.ndarray,
    y: np.ndarray,
    contexts: Sequence[str] | np.ndarray,
    *,
    kind: str = "pearson",
    resamples: int = 1000,
    seed: int = 0,
) -> Within:
    """One column against y within contexts, over the items that have both numbers."""
    x, y = np.asarray(x, float), np.asarray(y, float)
    rows = both(x, y)
    code = np.unique(np.asarray(contexts)[rows], return_inverse=True)[1]
    order = np.argsort(code, kind="stable")
    starts = np.concatenate([[0], np.cumsum(np.bincount(code))]).astype(np.int64) if len(rows) else np.zeros(1, np.int64)
    xy, xx, yy = _sums(x[rows][order], y[rows][order], starts, kind)
    sizes = np.diff(starts)
    each = ratio(xy, xx, yy, sizes)
    used = ~np.isnan(each)
    many = sizes > 1
    sums = np.stack([used, np.where(used, each, 0.0), *(np.where(many, side, 0.0) for side in (xy, xx, yy))], axis=1)
    mean, pooled = _finish(sums.sum(axis=0)[None, :])[0].tolist()
    low, high = (end.tolist() for end in _interval(sums, resamples, seed))
    several = int(used.sum()) > 1, int(many.sum()) > 1 and not np.isnan(pooled)  # one context has no variance
    return Within(
        mean=mean,
        low=low[0] if several[0] else NAN,
        high=high[0] if several[0] else NAN,
        contexts=int(used.sum()),
        left_out=int((~used).sum()),
        pooled=pooled,
        pooled_low=low[1] if several[1] else NAN,
        pooled_high=high[1] if several[1] else NAN,
        pooled_contexts=int(many.sum()),
        n=len(rows),
        p=_p(each[used]),
    )


def _p(each: np.ndarray) -> float:
    """Whether the contexts' coefficients have mean 0; NaN for fewer than three."""
    if len(each) < 3:
        return NAN
    if np.ptp(each) < 1e-12:  # t has no spread to measure by: the sign test
        return 1.0 if abs(each[0]) < 1e-12 else float(0.5 ** (len(each) - 1))
    from scipy import stats

    return float(stats.ttest_1samp(each, 0.0).pvalue)


def _sums(x: np.ndarray, y: np.ndarray, starts: np.ndarray, kind: str) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Σxy, Σx², Σy² of each context's centred values, centred ranks, or signs of differences over pairs."""
    if kind == "kendall":
        return _signs(x, y, starts)
    sides = [_centre(standardise(side), starts) if kind == "pearson" else _ranks(side, starts) for side in (x, y)]
    return _add(sides[0] * sides[1], starts), _add(sides[0] ** 2, starts), _add(sides[1] ** 2, starts)


def _add(values: np.ndarray, starts: np.ndarray) -> np.ndarray:
    """Sums over each context; none is empty."""
    return np.add.reduceat(values, starts[:-1]) if len(values) else np.zeros(0)


def _centre(values: np.ndarray, starts: np.ndarray) -> np.ndarray:
    """Values less their context's mean, exactly 0 where a context is constant."""
    if not len(values):
        return values
    sizes = np.diff(starts)
    first = values[starts[:-1]]
    moved = values - np.repeat(first, sizes)
    return moved - np.repeat(_add(moved, starts) / sizes, sizes)


def _ranks(values: np.ndarray, starts: np.ndarray) -> np.ndarray:
    """Ranks within each context, ties at their mean, less the context's mean rank."""
    sizes = np.diff(starts)
    context = np.repeat(np.arange(len(sizes)), sizes)
    level = Levels.of(values)
    joint = Levels.of(context * np.int64(max(level.count, 1)) + level.level)  # contexts in order, then values
    tied = np.diff(joint.ends, prepend=0)
    rank = (joint.ends - tied / 2)[joint.level] - np.repeat(starts[:-1], sizes)
    return np.asarray(rank - np.repeat(sizes / 2, sizes))


def _signs(x: np.ndarray, y: np.ndarray, starts: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Concordant less discordant pairs of each context, and its pairs not tied in x, and in y."""
    sizes = np.diff(starts)
    found = np.zeros((3, len(sizes)))
    level = [Levels.of(side).level.astype(float) for side in (x, y)]  # a difference of infinities would have no sign
    a, b, group = all_pairs(np.arange(len(x)), starts, LARGE)
    one, other = (np.sign(side[a] - side[b]) for side in level)
    for place, values in enumerate((one * other, one * one, other * other)):
        found[place] = np.bincount(group, values, minlength=len(sizes))
    for context in np.flatnonzero(sizes > LARGE):
        part = slice(starts[context], starts[context + 1])
        found[:, context] = kendall_sums(level[0][part], level[1][part])
    return found[0], found[1], found[2]


def _finish(sums: np.ndarray) -> np.ndarray:
    """(…, 2): mean and pooled coefficient from [contexts, Σr, Σxy, Σx², Σy²] summed over contexts."""
    with np.errstate(divide="ignore", invalid="ignore"):
        mean = np.where(sums[:, 0] > 0, sums[:, 1] / sums[:, 0], np.nan)
    return np.stack([mean, ratio(sums[:, 2], sums[:, 3], sums[:, 4], np.full(len(sums), 3))], axis=1)


def _interval(sums: np.ndarray, resamples: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """95% intervals of both, over resampled contexts."""
    if not resamples or not len(sums):
        return np.full(2, np.nan), np.full(2, np.nan)
    draws = [_finish(block @ sums) for block in weight_blocks(len(sums), resamples, seed)]
    return percentile_interval(np.concatenate(draws))
