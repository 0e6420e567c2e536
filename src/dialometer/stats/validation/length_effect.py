"""The effect of length differences between response and reference on a score (Liu et al. 2016, table 5; Lowe et al. 2017, table 8)

``Δw = |words of the response − words of the reference|``; the mean score where Δw ≤ 6 is set against the mean where Δw > 6.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from dialometer.stats.resample import seed_for

PIECE = 1 << 22  # numbers held at once while permuting


@dataclass(frozen=True)
class LengthEffect:
    """Mean scores near the reference's length and far from it, with both p-values; NaN where a side is too small."""

    near: float
    far: float
    difference: float
    welch_p: float
    permutation_p: float
    n_near: int
    n_far: int
    left_out: int


def length_effect(
    scores: np.ndarray,
    gaps: np.ndarray,
    clusters: np.ndarray | None = None,
    *,
    threshold: float = 6,
    permutations: int = 2000,
    seed: int = 0,
) -> LengthEffect:
    """Compare scores where Δw ≤ threshold with those above it.

    Welch's t takes items as independent. The permutation p-value shuffles which items are near; where clusters are given it
    turns the signs of whole clusters' parts of the difference instead, so that responses to one prompt count once.
    """
    scores, gaps = np.asarray(scores, float), np.asarray(gaps, float)
    both = ~(np.isnan(scores) | np.isnan(gaps))
    values, near = scores[both], gaps[both] <= threshold
    sizes = int(near.sum()), int((~near).sum())
    nan = float("nan")
    close, far = (float(values[side].mean()) if side.any() else nan for side in (near, ~near))
    welch = chance = nan
    if min(sizes) >= 2 and np.ptp(values) > 0:
        from scipy import stats

        if np.ptp(values[near]) > 0 or np.ptp(values[~near]) > 0:
            welch = float(stats.ttest_ind(values[near], values[~near], equal_var=False).pvalue)
        rng = np.random.default_rng(seed_for(seed, "length effect"))
        if not permutations:
            chance = nan
        elif clusters is None:
            chance = _shuffle_p(values, near, permutations, rng)
        else:
            chance = _sign_flip_p(values, near, np.asarray(clusters)[both], permutations, rng)
    return LengthEffect(close, far, close - far, welch, chance, *sizes, int((~both).sum()))


def _shuffle_p(values: np.ndarray, near: np.ndarray, permutations: int, rng: np.random.Generator) -> float:
    """Two-sided: how often a random choice of as many near items differs as much in its mean."""
    centred = values - values.mean()  # then the sum of one side determines the difference
    found = abs(centred[near].sum())
    hits, piece = 0, max(1, PIECE // len(values))
    for start in range(0, permutations, piece):
        order = rng.permuted(np.tile(near, (min(piece, permutations - start), 1)), axis=1)
        hits += int((np.abs(order @ centred) >= found - 1e-9 * np.abs(centred).sum()).sum())
    return (hits + 1) / (permutations + 1)


def _sign_flip_p(
    values: np.ndarray, near: np.ndarray, clusters: np.ndarray, permutations: int, rng: np.random.Generator
) -> float:
    """Two-sided, by random signs on each cluster's contribution to the difference; NaN for fewer than two clusters."""
    codes = np.unique(clusters, return_inverse=True)[1]
    if codes.max() < 1:
        return float("nan")
    share = np.where(near, 1 / near.sum(), -1 / (~near).sum())
    parts = np.bincount(codes, share * (values - values.mean()))
    found, total = abs(parts.sum()), np.abs(parts).sum()
    hits, piece = 0, max(1, PIECE // len(parts))
    for start in range(0, permutations, piece):
        signs = rng.integers(0, 2, (min(piece, permutations - start), len(parts))) * 2.0 - 1
        hits += int((np.abs(signs @ parts) >= found - 1e-9 * total).sum())
    return (hits + 1) / (permutations + 1)
