"""p-values adjusted for multiple comparisons. NaN stays NaN and is not counted."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np


def holm(p: np.ndarray) -> np.ndarray:
    """Holm's step-down p: reject where it is at most α, and the probability of any false rejection is at most α (Holm 1979).

    ``p̃₍ᵢ₎ = max_{j ≤ i} (m − j + 1) p₍ⱼ₎``.

    >>> holm(np.array([0.01, 0.04, 0.03, np.nan])).tolist()
    [0.03, 0.06, 0.06, nan]
    """
    return _adjust(p, lambda ordered: np.maximum.accumulate(ordered * np.arange(len(ordered), 0, -1)))


def benjamini_hochberg(p: np.ndarray) -> np.ndarray:
    """Benjamini and Hochberg's p: reject where it is at most q, and that share of rejections is expected false (1995).

    ``p̃₍ᵢ₎ = min_{j ≥ i} m p₍ⱼ₎ / j``; for tests that are independent or positively dependent.

    >>> benjamini_hochberg(np.array([0.01, 0.04, 0.03])).tolist()
    [0.03, 0.04, 0.04]
    """
    return _adjust(
        p, lambda ordered: np.minimum.accumulate((ordered * len(ordered) / np.arange(1, len(ordered) + 1))[::-1])[::-1]
    )


def _adjust(p: np.ndarray, step: Callable[[np.ndarray], np.ndarray]) -> np.ndarray:
    """The step applied to the known p-values in rising order, at most 1, put back in their places."""
    p = np.asarray(p, float)
    found = np.full(p.shape, np.nan)
    known = np.flatnonzero(~np.isnan(p.reshape(-1)))
    order = known[np.argsort(p.reshape(-1)[known], kind="stable")]
    found.reshape(-1)[order] = np.minimum(step(p.reshape(-1)[order]), 1)
    return found
