"""Length bias of a metric: raw, partial and length-matched correlation with ratings, each with its interval.

Partial: ``r(m, h | l) = (r_mh − r_ml r_hl) / √((1 − r_ml²)(1 − r_hl²))``, the correlation of what a line through length leaves
over. Matched: items are put into bins of equal length (quantiles), both sides are centred within their bin, and the correlation
is pooled over bins: long responses are compared with long ones only. Spearman does the same with ranks.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from dialometer.core.errors import UsageError
from dialometer.stats.correlation.correlate import Correlation, correlate, draw_correlations, pearson, spearman
from dialometer.stats.resample import bootstrap_weights
from dialometer.stats.testing.permutation import mean_ranks

LENGTH_ONLY = "length-only"


@dataclass(frozen=True)
class LengthBias:
    """Correlations of a metric, ratings and length; ``bins`` is how many the matched one used."""

    metric_length: Correlation
    human_length: Correlation
    plain: Correlation
    partial: Correlation
    matched: Correlation
    bins: int


def with_length(columns: Mapping[str, np.ndarray], lengths: np.ndarray) -> dict[str, np.ndarray]:
    """The same columns, and length as one more: the baseline that every metric should beat.

    >>> list(with_length({"bleu": np.zeros(2)}, np.array([3, 4])))
    ['bleu', 'length-only']
    """
    return {**columns, LENGTH_ONLY: np.asarray(lengths, float)}


def length_bias(
    metric: np.ndarray,
    human: np.ndarray,
    lengths: np.ndarray,
    clusters: np.ndarray | None = None,
    *,
    kind: str = "pearson",
    bins: int = 10,
    resamples: int = 1000,
    seed: int = 0,
) -> LengthBias:
    """All five correlations over the items that have all three numbers; resamples draw whole clusters."""
    if kind not in ("pearson", "spearman") or bins < 0:
        raise UsageError("length bias is measured by pearson or spearman, over 0 bins or more", "kind='spearman', bins=10")
    metric, human, lengths = (np.asarray(column, float) for column in (metric, human, lengths))
    every = ~(np.isnan(metric) | np.isnan(human) | np.isnan(lengths))
    m, h, x = metric[every], human[every], lengths[every]
    own = np.arange(len(metric))[every] if clusters is None else np.asarray(clusters)[every]
    strata = length_bins(x, bins)
    how: Any = {"kind": kind, "resamples": resamples, "seed": seed}
    return LengthBias(
        correlate(m, x, own, **how),
        correlate(h, x, own, **how),
        correlate(m, h, own, **how),
        _partial(m, h, x, own, **how),
        _matched_correlation([m, h], strata, own, **how),
        int(strata.max()) + 1 if len(strata) else 0,
    )


def length_bins(lengths: np.ndarray, bins: int) -> np.ndarray:
    """A bin number per item: quantiles of length, fewer where lengths are tied; 0 bins means one per length.

    >>> length_bins(np.array([1, 1, 2, 3, 9, 9]), 3).tolist()
    [0, 0, 1, 1, 2, 2]
    """
    if not len(lengths):
        return np.zeros(0, np.int64)
    if bins == 0:
        return np.unique(lengths, return_inverse=True)[1]
    edges = np.quantile(lengths, np.arange(1, bins) / bins)
    return np.unique(np.searchsorted(edges, lengths, side="left"), return_inverse=True)[1]


def _interval(draws: np.ndarray) -> tuple[float, float]:
    seen = draws[~np.isnan(draws)]
    return (float(np.quantile(seen, 0.025)), float(np.quantile(seen, 0.975))) if len(seen) else (float("nan"),) * 2


def _correlation(r: float, n: int, fitted: int, interval: tuple[float, float]) -> Correlation:
    """A correlation with t on the degrees of freedom that ``fitted`` slopes or bin means leave."""
    nan, freedom = float("nan"), n - 2 - fitted
    if np.isnan(r) or freedom < 1:
        return Correlation(nan, nan, nan, nan, n)
    from scipy import stats

    p = float(2 * stats.t.sf(abs(r) * np.sqrt(freedom / max(1 - r * r, 1e-300)), freedom))
    return Correlation(r, p, *interval, n)


def _partial(
    m: np.ndarray, h: np.ndarray, x: np.ndarray, clusters: np.ndarray, *, kind: str, resamples: int, seed: int
) -> Correlation:
    """From the three correlations, in the same resamples."""
    of = {"pearson": pearson, "spearman": spearman}[kind]
    if len(x) < 4 or np.ptp(x) == 0:  # a length that does not vary explains nothing
        return correlate(m, h, clusters, kind=kind, resamples=resamples, seed=seed)
    r = float(_without(np.array([of(m, h)]), np.array([of(x, h)]), np.array([of(m, x)]))[0])
    interval = float("nan"), float("nan")
    if resamples and len(np.unique(clusters)) > 1 and not np.isnan(r):
        how: Any = {"kind": kind, "resamples": resamples, "seed": seed}
        r_mh, r_xh = draw_correlations([m, x], h, clusters, **how).T
        interval = _interval(_without(r_mh, r_xh, draw_correlations([m], x, clusters, **how)[:, 0]))
    return _correlation(r, len(x), 1, interval)


def _without(r_mh: np.ndarray, r_xh: np.ndarray, r_mx: np.ndarray) -> np.ndarray:
    """The formula; NaN where length determines one side completely."""
    left = (1 - r_mx**2) * (1 - r_xh**2)
    return np.clip((r_mh - r_mx * r_xh) / np.sqrt(np.where(left > 1e-12, left, np.nan)), -1, 1)


def _matched_correlation(
    columns: Sequence[np.ndarray], strata: np.ndarray, clusters: np.ndarray, *, kind: str, resamples: int, seed: int
) -> Correlation:
    """Correlation within strata, pooled; Spearman's is that of the ranks over all items, taken once."""
    n = len(strata)
    if n < 4:
        return _correlation(float("nan"), n, 0, (float("nan"), float("nan")))
    sides = [mean_ranks(side) if kind == "spearman" else side for side in columns]
    codes = np.unique(clusters, return_inverse=True)[1]
    count = int(codes.max()) + 1
    draws = _within(sides, strata, codes, np.ones((1, count)))
    interval = float("nan"), float("nan")
    if resamples and count > 1 and not np.isnan(draws[0]):
        interval = _interval(_within(sides, strata, codes, bootstrap_weights(count, resamples, seed)))
    return _correlation(float(draws[0]), n, int(strata.max()), interval)


def _within(sides: Sequence[np.ndarray], strata: np.ndarray, codes: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """Under each row of weights of clusters: Pearson's r of both sides less their means within strata.

    ``Σ w (x − x̄_s)(y − ȳ_s) = Σ w x y − Σ_s (Σ w x)(Σ w y) / Σ w``, so sums per cluster and stratum are all that is needed.
    """
    x, y = (side - side.mean() for side in sides)
    count, groups = weights.shape[1], int(strata.max()) + 1
    cells = codes * groups + strata

    def per_stratum(values: np.ndarray) -> np.ndarray:
        return np.asarray(weights @ np.bincount(cells, values, count * groups).reshape(count, groups))

    size = np.maximum(per_stratum(np.ones(len(x))), 1e-300)
    by_x, by_y = per_stratum(x), per_stratum(y)
    whole = [weights @ np.bincount(codes, values, count) for values in (x * y, x * x, y * y)]
    xy, xx, yy = (
        total - (a * b / size).sum(axis=1)
        for total, a, b in zip(whole, (by_x, by_x, by_y), (by_y, by_x, by_y), strict=True)
    )
    known = (xx > 1e-10 * whole[1]) & (yy > 1e-10 * whole[2])  # else only rounding is left of it
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(known, np.clip(xy / np.sqrt(xx * yy), -1, 1), np.nan)
