"""Contrasts of two sides: the difference with its interval, effect size and p-value.

Paired sides have a value each for the same units (dialogues from the same opener); a resample draws whole pairs. Unpaired
sides are resampled each by itself. The test is of means (signs flipped; Welch) or of ranks (Wilcoxon; Mann and Whitney).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import sqrt

import numpy as np

from dialometer.stats.resample import bootstrap_weights, percentile_interval, seed_for
from dialometer.stats.testing.effect_sizes import cohen_dz, hedges_g, paired_superiority, superiority

TESTS = ("mean", "rank")
BLOCKS = 4096  # units that are resampled one by one; of more, blocks of them
Bounds = tuple[float, float]
EXACT = 16  # pairs up to which all signs are counted
SLACK = 1e-9  # sums that differ by less, relative to Σ |d|, are ties that rounding pulled apart
PIECE = 1 << 22  # signs held at once


@dataclass(frozen=True)
class Contrast:
    """a minus b: units of each side (the same ones where paired), 95% interval, effect in sd, P(a is higher), two-sided p."""

    paired: bool
    n_a: int
    n_b: int
    mean_a: float
    mean_b: float
    difference: float
    low: float
    high: float
    effect: float
    measure: str  # d_z, g, or nothing
    superiority: float
    p: float
    test: str


def paired_contrast(
    a: np.ndarray, b: np.ndarray, *, test: str = "mean", resamples: int = 1000, permutations: int = 10_000, seed: int = 0
) -> Contrast:
    """Two values per unit; units that lack one are left out."""
    both = ~(np.isnan(a) | np.isnan(b))
    a, b = np.asarray(a, float)[both], np.asarray(b, float)[both]
    d = a - b
    n = len(d)
    low, high = mean_interval(d, resamples=resamples, seed=seed)
    p, name = _paired_p(d, test, permutations, seed)
    means = (_mean(a), _mean(b), _mean(d))
    return Contrast(True, n, n, *means, low, high, cohen_dz(d), "d_z", paired_superiority(d), p, name)


def unpaired_contrast(
    a: np.ndarray, b: np.ndarray, *, test: str = "mean", resamples: int = 1000, seed: int = 0
) -> Contrast:
    """Values of different units."""
    a, b = (np.asarray(side, float)[~np.isnan(side)] for side in (a, b))
    low = high = float("nan")
    if min(len(a), len(b)) > 1 and resamples > 1:
        draws = [_draws(side, resamples, seed_for(seed, "side", place)) for place, side in enumerate((a, b))]
        low, high = _bounds(draws[0] - draws[1])
    p, name = _unpaired_p(a, b, test)
    means = (_mean(a), _mean(b), _mean(a) - _mean(b))
    return Contrast(False, len(a), len(b), *means, low, high, hedges_g(a, b), "g", superiority(a, b), p, name)


def mean_interval(values: np.ndarray, *, resamples: int = 1000, seed: int = 0) -> Bounds:
    """The 95% interval of a mean over units, by resampling them; NaN for fewer than two."""
    seen = np.asarray(values, float)[~np.isnan(values)]
    if len(seen) < 2 or resamples < 2:
        return float("nan"), float("nan")
    return _bounds(_draws(seen, resamples, seed_for(seed, "units")))


def welch_p(a: np.ndarray, b: np.ndarray) -> float:
    """Welch's t, two-sided, on the degrees of freedom of Satterthwaite (Welch 1947); NaN where neither side varies."""
    from scipy import stats

    if min(len(a), len(b)) < 2:
        return float("nan")
    parts = [float(side.var(ddof=1)) / len(side) for side in (a, b)]
    if sum(parts) == 0:
        return 1.0 if a.mean() == b.mean() else float("nan")
    degrees = sum(parts) ** 2 / sum(part**2 / (len(side) - 1) for part, side in zip(parts, (a, b), strict=True))
    return float(2 * stats.t.sf(abs(float(a.mean() - b.mean())) / sqrt(sum(parts)), degrees))


def sign_flip_p(differences: np.ndarray, *, permutations: int = 10_000, seed: int = 0) -> tuple[float, bool]:
    """Paired permutation test: two-sided p of the mean difference, and whether all signs were enumerated; NaN without a pair.

    If two sides do not differ, every difference may as well have the other sign (Fisher 1935, §21):
    ``p = #{signs : |Σ ±d| ≥ |Σ d|} / 2ⁿ`` over all signs where there are few pairs; else over signs drawn at random, the given
    ones counted with them (Phipson and Smyth 2010), so that p is never 0.

    >>> sign_flip_p(np.array([1.0, 2.0, 3.0, 4.0]))
    (0.125, True)
    """
    d = np.asarray(differences, float)
    if not len(d):
        return float("nan"), True
    moved = d[d != 0]  # a difference of 0 has no sign: it changes no sum
    least = abs(float(moved.sum())) - SLACK * float(np.abs(moved).sum())
    if len(moved) <= EXACT:
        sums = np.zeros(1)
        for one in moved.tolist():
            sums = np.concatenate([sums + one, sums - one])
        return float((np.abs(sums) >= least).mean()), True
    if permutations < 1:
        return float("nan"), False
    rng = np.random.default_rng(seed_for(seed, "sign flips"))
    beyond, step = 0, max(1, PIECE // len(moved))
    for first in range(0, permutations, step):
        signs = rng.integers(0, 2, (min(step, permutations - first), len(moved)), np.int8)
        sums = 2 * (signs @ moved) - moved.sum()
        beyond += int((np.abs(sums) >= least).sum())
    return (1 + beyond) / (1 + permutations), False


def _paired_p(d: np.ndarray, test: str, permutations: int, seed: int) -> tuple[float, str]:
    if test == "mean":
        p, exact = sign_flip_p(d, permutations=permutations, seed=seed)
        return p if len(d) > 1 else float("nan"), "sign flips, all" if exact else f"sign flips, {permutations}"
    from scipy import stats

    if len(d) < 2 or not d.any():
        return 1.0 if len(d) > 1 else float("nan"), "Wilcoxon"
    return float(stats.wilcoxon(d).pvalue), "Wilcoxon"


def _unpaired_p(a: np.ndarray, b: np.ndarray, test: str) -> tuple[float, str]:
    if test == "mean":
        return welch_p(a, b), "Welch"
    from scipy import stats

    if min(len(a), len(b)) < 2:
        return float("nan"), "Mann-Whitney"
    if np.ptp(np.concatenate([a, b])) == 0:
        return 1.0, "Mann-Whitney"
    return float(stats.mannwhitneyu(a, b).pvalue), "Mann-Whitney"


def _draws(values: np.ndarray, resamples: int, seed: int) -> np.ndarray:
    """Means of resamples."""
    block = np.arange(len(values)) % BLOCKS
    sums, counts = np.bincount(block, values), np.bincount(block).astype(float)
    weights = bootstrap_weights(len(sums), resamples, seed)
    return np.asarray((weights @ sums) / (weights @ counts))


def _bounds(draws: np.ndarray) -> Bounds:
    low, high = percentile_interval(draws[:, None])
    return float(low[0]), float(high[0])


def _mean(values: Sequence[float] | np.ndarray) -> float:
    return float(np.mean(values)) if len(values) else float("nan")
