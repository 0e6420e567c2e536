"""Several references, one score: the best of them, their mean, or (where vectors are compared) their centroid."""

from __future__ import annotations

import numpy as np

from dialometer.core.errors import SpecError

POOLS = ("max", "mean", "centroid")
PIECE = 1 << 14  # pairs whose vectors are held at once


def check_pool(metric: str, how: str) -> None:
    """Refuse an unknown way of pooling."""
    if how not in POOLS:
        raise SpecError(f"{metric}(pool=…) is one of {', '.join(POOLS)}, not {how!r}", f"{metric}(pool=max)")


def pool(values: np.ndarray, starts: np.ndarray, how: str) -> np.ndarray:
    """Reduce one value (or row) per pair to one per example; examples without a pair get 0.

    >>> pool(np.array([0.2, 0.8, 0.5]), np.array([0, 2, 2, 3]), "max").tolist()
    [0.8, 0.0, 0.5]
    """
    counts = np.diff(starts)
    has = counts > 0
    pooled = np.zeros((len(counts), *values.shape[1:]), np.float64)
    if has.any():
        reduce = np.maximum if how == "max" else np.add
        pooled[has] = reduce.reduceat(values.astype(np.float64), starts[:-1][has])
        if how != "max":
            pooled[has] /= counts[has].reshape(-1, *[1] * (values.ndim - 1))
    return pooled


def means_and_coverage(totals: np.ndarray) -> np.ndarray:
    """Summed [scored, values…, known words, words] → the values' means over scored responses, and known words / words.

    NaN where nothing is scored; a coverage of 0 where there is no word.

    >>> means_and_coverage(np.array([[2.0, 1.0, 3.0, 4.0], [1.0, 0.5, 0.0, 0.0], [0.0, 0.0, 0.0, 0.0]])).tolist()
    [[0.5, 0.75], [0.5, 0.0], [nan, nan]]
    """
    scored, words = totals[..., :1], totals[..., -1:]
    with np.errstate(divide="ignore", invalid="ignore"):
        share = np.where(words > 0, totals[..., -2:-1] / words, 0.0)
        return np.where(scored > 0, np.concatenate([totals[..., 1:-2] / scored, share], axis=-1), np.nan)


def row_cosines(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """Cosine of each row of a with the same row of b, in 64 bits; 0 where either is zero.

    >>> row_cosines(np.array([[3.0, 4.0], [0.0, 0.0]]), np.array([[6.0, 8.0], [1.0, 0.0]])).tolist()
    [1.0, 0.0]
    """
    a, b = np.ascontiguousarray(a, np.float64), np.ascontiguousarray(b, np.float64)  # a row is summed along memory
    norms = np.sqrt((a * a).sum(1) * (b * b).sum(1))
    return np.divide((a * b).sum(1), norms, out=np.zeros(len(a)), where=norms > 0)


def pair_cosines(vectors: np.ndarray, a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """Cosine of the vectors at rows a and b, pair by pair, in pieces that fit into memory."""
    cosines = np.zeros(len(a))
    for start in range(0, len(a), PIECE):
        part = slice(start, start + PIECE)
        cosines[part] = row_cosines(vectors[a[part]], vectors[b[part]])
    return cosines


def centroid_cosines(vectors: np.ndarray, own: np.ndarray, theirs: np.ndarray, starts: np.ndarray) -> np.ndarray:
    """Cosine of each example's vector with the mean of its references' vectors, in pieces that fit into memory.

    >>> vectors = np.array([[1.0, 0.0], [0.0, 2.0], [2.0, 0.0]])
    >>> centroid_cosines(vectors, np.array([0]), np.array([1, 2]), np.array([0, 2])).round(4).tolist()
    [0.7071]
    """
    cosines = np.zeros(len(own))
    for at in range(0, len(own), PIECE // 8):  # an example has several references
        part = starts[at : at + PIECE // 8 + 1]
        centres = pool(vectors[theirs[part[0] : part[-1]]], part - part[0], "centroid")
        cosines[at : at + PIECE // 8] = row_cosines(vectors[own[at : at + PIECE // 8]], centres)
    return cosines
