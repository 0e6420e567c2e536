"""Rare rows more than once: by length of the response and by score (a technique of ADEM's released code, not of the paper's text).

Short responses with low ratings are rare where people like brevity, so that a judge may learn length instead of quality. Rows are
put in cells of a length bin and a score bin, and those of rare cells are repeated until cells weigh evenly, up to a limit.
"""

from __future__ import annotations

import numpy as np

from dialometer.core.errors import DataError, UsageError


def repeats(
    lengths: np.ndarray, scores: np.ndarray, *, length_bins: int = 5, score_bins: int = 5, most: int = 5
) -> np.ndarray:
    """How often each row is to be used: the size of the largest cell over that of its own, rounded, 1 to ``most``.

    Length bins hold about as many rows each; score bins have one width between the lowest and the highest score.

    >>> repeats(np.array([3, 3, 3, 3, 9, 9]), np.array([1, 1, 1, 5, 1, 5]), length_bins=2, score_bins=2).tolist()
    [1, 1, 1, 3, 3, 3]
    """
    lengths, scores = np.asarray(lengths, float), np.asarray(scores, float)
    if min(length_bins, score_bins, most) < 1:
        raise UsageError("bins and repeats are counted from 1", "length_bins=5, score_bins=5, most=5")
    if lengths.shape != scores.shape or lengths.ndim != 1:
        raise UsageError(f"there are {lengths.size} lengths for {scores.size} scores", "give one of each per row")
    bad = int(np.count_nonzero(~(np.isfinite(lengths) & np.isfinite(scores))))
    if bad:
        raise DataError(f"{bad} of {len(scores)} rows have no length or no score", hint="leave them out")
    if not len(scores):
        return np.zeros(0, np.int64)
    inner = np.arange(1, length_bins) / length_bins
    by_length = np.searchsorted(np.unique(np.quantile(lengths, inner)), lengths)
    edges = np.linspace(scores.min(), scores.max(), score_bins + 1)[1:-1]
    _, cell, sizes = np.unique(
        by_length * score_bins + np.searchsorted(edges, scores), return_inverse=True, return_counts=True
    )
    return np.clip(np.rint(sizes.max() / sizes), 1, most).astype(np.int64)[cell]


def oversampled(
    lengths: np.ndarray, scores: np.ndarray, *, length_bins: int = 5, score_bins: int = 5, most: int = 5
) -> np.ndarray:
    """The rows to train on, in order, each as often as ``repeats`` says."""
    return np.repeat(
        np.arange(len(scores)), repeats(lengths, scores, length_bins=length_bins, score_bins=score_bins, most=most)
    )
