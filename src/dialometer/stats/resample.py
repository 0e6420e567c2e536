"""Intervals by resampling whole clusters: a bootstrap is one matrix product over summed rows."""

from __future__ import annotations

from hashlib import blake2b

import numpy as np


def seed_for(*parts: object) -> int:
    """A seed that belongs to these parts alone (run seed, purpose, item …)."""
    return int.from_bytes(blake2b("\0".join(map(str, parts)).encode(), digest_size=8).digest(), "little")


def bootstrap_weights(clusters: int, resamples: int, seed: int) -> np.ndarray:
    """(resamples, clusters): how often each cluster is drawn in each resample."""
    drawn = np.random.default_rng(seed % 2**64).integers(0, clusters, (resamples, clusters))
    drawn += np.arange(resamples)[:, None] * clusters
    return np.bincount(drawn.reshape(-1), minlength=resamples * clusters).reshape(resamples, clusters).astype(np.float64)


def percentile_interval(draws: np.ndarray, level: float = 0.95) -> tuple[np.ndarray, np.ndarray]:
    """The middle ``level`` of the draws (axis 0), column by column; a column without numbers gives NaN."""
    low, high = np.full(draws.shape[1:], np.nan), np.full(draws.shape[1:], np.nan)
    for column in np.ndindex(*draws.shape[1:]):
        seen = draws[(slice(None), *column)]
        seen = seen[~np.isnan(seen)]
        if seen.size:
            low[column], high[column] = np.quantile(seen, [(1 - level) / 2, (1 + level) / 2])
    return low, high


def jackknife_interval(
    whole: np.ndarray, without: np.ndarray, z: float = 1.959963984540054
) -> tuple[np.ndarray, np.ndarray]:
    """A normal interval from values with one block left out at a time (axis 0): for numbers that repeats would distort.

    ``se² = (g − 1)/g Σ (θ₍₋ᵢ₎ − mean)²`` over g blocks (Efron & Tibshirani 1993, eq. 11.5).
    """
    blocks = len(without)
    se = np.sqrt((blocks - 1) / blocks * ((without - without.mean(axis=0)) ** 2).sum(axis=0))
    return whole - z * se, whole + z * se
