"""Correlation of two tables row by row, over few columns each: the system level of many resamples at once."""

from __future__ import annotations

import numpy as np

PIECE = 1 << 22  # comparisons held at once


def row_correlations(x: np.ndarray, y: np.ndarray, kind: str = "pearson") -> np.ndarray:
    """(rows,): Pearson's r, Spearman's ρ or Kendall's τ-b of x and y, both (rows, columns), over columns that have both numbers.

    NaN where a side does not vary or fewer than three columns are left. Ranks are halved sums of the signs of differences, and
    τ-b is the cosine of these signs.

    >>> x, y = np.array([[1.0, 2.0, 4.0]]), np.array([[1.0, 3.0, 2.0]])
    >>> [round(float(row_correlations(x, y, kind)[0]), 4) for kind in ("pearson", "spearman", "kendall")]
    [0.3273, 0.5, 0.3333]
    """
    absent = np.isnan(x) | np.isnan(y)
    x, y = np.where(absent, np.nan, x), np.where(absent, np.nan, y)
    if kind != "pearson":
        step = max(1, PIECE // max(x.shape[1], 1) ** 2)
        pieces = [_compared(x[at : at + step], y[at : at + step], kind) for at in range(0, len(x), step)]
        cosines = np.concatenate(pieces) if pieces else np.zeros(0)
    else:
        cosines = _cosine(*(_centred(side, absent) for side in (x, y)))
    enough = (~absent).sum(axis=1) > 2
    return np.where(enough & _varies(x) & _varies(y), np.clip(cosines, -1, 1), np.nan)


def _compared(x: np.ndarray, y: np.ndarray, kind: str) -> np.ndarray:
    signs = [np.nan_to_num(np.sign(side[:, :, None] - side[:, None, :])) for side in (x, y)]
    if kind == "kendall":
        return _cosine(*(sign.reshape(len(x), -1) for sign in signs))
    return _cosine(*(sign.sum(axis=2) for sign in signs))  # twice the rank less its mean


def _centred(values: np.ndarray, absent: np.ndarray) -> np.ndarray:
    n = np.maximum((~absent).sum(axis=1, keepdims=True), 1)
    mean = np.nansum(values, axis=1, keepdims=True) / n
    return np.asarray(np.where(absent, 0.0, values - mean))


def _cosine(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.asarray((a * b).sum(axis=1) / np.sqrt((a * a).sum(axis=1) * (b * b).sum(axis=1)))


def _varies(values: np.ndarray) -> np.ndarray:
    return np.asarray(
        np.where(np.isnan(values), -np.inf, values).max(axis=1, initial=-np.inf)
        > np.where(np.isnan(values), np.inf, values).min(axis=1, initial=np.inf)
    )
