"""Pairs of rows within groups, listed without a loop over groups."""

from __future__ import annotations

import numpy as np

from dialometer.stats.resample import seed_for


def group_starts(groups: np.ndarray | None, n: int) -> tuple[np.ndarray, np.ndarray]:
    """Rows sorted by group, and where each group starts (one more entry than groups); no groups are one group."""
    if groups is None:
        return np.arange(n), np.array([0, n] if n else [0], np.int64)
    code = np.unique(np.asarray(groups), return_inverse=True)[1]
    return np.argsort(code, kind="stable"), np.concatenate([[0], np.cumsum(np.bincount(code))]).astype(np.int64)


def pair_counts(starts: np.ndarray) -> np.ndarray:
    """How many pairs each group has."""
    sizes = np.diff(starts)
    return np.asarray(sizes * (sizes - 1) // 2)


def all_pairs(
    order: np.ndarray, starts: np.ndarray, largest: int | None = None
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Every pair of rows within a group (of ``largest`` rows or fewer): first rows, second rows, group numbers."""
    sizes = np.diff(starts)
    parts = []
    for size in np.unique(sizes[(sizes > 1) & (sizes <= (largest or sizes.max(initial=0)))]):
        chosen = np.flatnonzero(sizes == size)
        a, b = np.triu_indices(size, 1)
        at = starts[chosen][:, None]
        parts.append([(at + a).reshape(-1), (at + b).reshape(-1), np.repeat(chosen, len(a))])
    if not parts:
        return (np.zeros(0, np.int64),) * 3
    a, b, group = (np.concatenate(column) for column in zip(*parts, strict=True))
    return order[a], order[b], group


def some_pairs(order: np.ndarray, starts: np.ndarray, size: int, seed: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """``size`` pairs within groups, drawn with replacement, every pair alike: first rows, second rows, group numbers."""
    ends = np.cumsum(pair_counts(starts))
    rng = np.random.default_rng(seed_for(seed, "pairs"))
    group = np.searchsorted(ends, rng.integers(0, ends[-1], size), side="right")
    sizes = np.diff(starts)[group]
    a = rng.integers(0, sizes)
    b = rng.integers(0, sizes - 1)
    b += b >= a  # a pair is two different rows
    return order[starts[group] + a], order[starts[group] + b], group
