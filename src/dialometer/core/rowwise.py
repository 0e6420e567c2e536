"""Matrix products whose result for a row depends on that row alone, to the last bit: batch-invariant by construction.

A BLAS chooses its kernel, and with it the order of a sum, by the shape of a product, the number of threads and the processor. Two
ways around that give the same bits for any number of rows, in any order, on any processor with IEEE 754 arithmetic:

- ``row_dots`` adds up one product after the other, by element-wise operations alone: ``((x_0 y_0 + x_1 y_1) + x_2 y_2) + …``.
- ``row_products`` cuts numbers into whole numbers so small that no sum of their products is ever rounded: then the order of
  summation does not matter (Ozaki et al. 2012, "Error-free transformations of matrix multiplication").
"""

from __future__ import annotations

import numpy as np

BLOCK = 1024  # rows whose columns are laid side by side at once
EXACT = 53  # bits of a float64: whole numbers up to 2^53 are added without rounding
LEAST = -900  # smaller exponents count as this one, so that no power of two overflows


def row_dots(x: np.ndarray, y: np.ndarray) -> np.ndarray:
    """Σ_k x[i, k] · y[i, k] for each row i, float64; y may be a single row for all.

    >>> row_dots(np.array([[1.0, 2.0], [3.0, 4.0]]), np.array([10.0, 1.0])).tolist()
    [12.0, 34.0]
    """
    sums = np.zeros(len(x))
    for at in range(0, len(x), BLOCK):
        part = slice(at, at + BLOCK)
        own = np.ascontiguousarray(x[part].T, np.float64)
        other = y.astype(np.float64) if y.ndim == 1 else np.ascontiguousarray(y[part].T, np.float64)
        for a, b in zip(own, other, strict=True):
            sums[part] += a * b
    return sums


def row_products(x: np.ndarray, w: np.ndarray) -> np.ndarray:
    """(n, k) · (k, m) → (n, m) float64, off by less than k · 2^−40 · max |x| · max |w| of the row and the column while k < 2,048.

    >>> row_products(np.array([[1.0, 2.0], [3.0, 4.0]]), np.array([[1.0, 0.0, 2.0], [0.0, 1.0, 1.0]])).tolist()
    [[1.0, 2.0, 4.0], [3.0, 4.0, 10.0]]
    """
    x, w = np.asarray(x, np.float64), np.asarray(w, np.float64)
    bits = (EXACT - max(1, x.shape[1]).bit_length()) // 2
    (high, low), size = _split_bits(x, bits)
    (w_high, w_low), w_size = _split_bits(w.T, bits)
    rest = high @ w_low.T + low @ w_high.T
    return np.asarray((high @ w_high.T + rest * 2.0**-bits) * size[:, None] * w_size)


def _split_bits(x: np.ndarray, bits: int) -> tuple[tuple[np.ndarray, np.ndarray], np.ndarray]:
    """Two matrices of whole numbers up to 2^bits, and a power of two per row: x ≈ (first + second / 2^bits) · power."""
    exponents = np.maximum(np.frexp(np.abs(x).max(axis=1, initial=0.0))[1], LEAST)
    scaled = x * np.ldexp(1.0, bits - exponents)[:, None]
    first = np.rint(scaled)
    return (first, np.rint((scaled - first) * 2.0**bits)), np.ldexp(1.0, exponents - bits)
