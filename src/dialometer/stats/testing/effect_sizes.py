"""Effect sizes: differences in standard deviations, and the probability that one side is the higher."""

from __future__ import annotations

from math import exp, lgamma, log, sqrt

import numpy as np

EQUAL = 1e-12  # a spread below this share of the values is rounding


def cohen_dz(differences: np.ndarray) -> float:
    """``d_z = mean / sd`` of paired differences, sd over n − 1 (Cohen 1988, §2.3.5); NaN where they do not vary.

    >>> round(cohen_dz(np.array([1.0, 2.0, 3.0, 6.0])), 4)
    1.3887
    """
    d = np.asarray(differences, float)
    if len(d) < 2 or not _varies(d):
        return 0.0 if len(d) and not d.any() else float("nan")
    return float(d.mean() / d.std(ddof=1))


def hedges_g(a: np.ndarray, b: np.ndarray) -> float:
    """``g = J (mean a − mean b) / s``, s pooled over both sides; ``J = Γ(m/2) / (√(m/2) Γ((m − 1)/2))``, m = n₁ + n₂ − 2.

    J takes away the bias of small samples (Hedges 1981, eq. 6e).
    """
    a, b = np.asarray(a, float), np.asarray(b, float)
    m = len(a) + len(b) - 2
    if min(len(a), len(b)) < 2 or not (_varies(a) or _varies(b)):
        return 0.0 if len(a) and len(b) and a.mean() == b.mean() else float("nan")
    pooled = sqrt(((len(a) - 1) * a.var(ddof=1) + (len(b) - 1) * b.var(ddof=1)) / m)
    unbiased = exp(lgamma(m / 2) - 0.5 * log(m / 2) - lgamma((m - 1) / 2))
    return float(unbiased * (a.mean() - b.mean()) / pooled)


def superiority(a: np.ndarray, b: np.ndarray) -> float:
    """``P(A > B) + ½ P(A = B)`` over all pairs of one value of each side (McGraw and Wong 1992; ties as in Vargha 2000).

    >>> superiority(np.array([1.0, 3.0]), np.array([1.0, 2.0]))
    0.625
    """
    a, b = np.asarray(a, float), np.sort(np.asarray(b, float))
    if not len(a) or not len(b):
        return float("nan")
    below, upto = np.searchsorted(b, a, side="left"), np.searchsorted(b, a, side="right")
    return float((below + upto).mean() / (2 * len(b)))


def paired_superiority(differences: np.ndarray) -> float:
    """The share of pairs in which the first side is higher, ties counting half.

    >>> paired_superiority(np.array([1.0, 0.0, -1.0, 2.0]))
    0.625
    """
    d = np.asarray(differences, float)
    return float(((d > 0) + 0.5 * (d == 0)).mean()) if len(d) else float("nan")


def _varies(values: np.ndarray) -> bool:
    return len(values) > 1 and float(np.ptp(values)) > EQUAL * max(1e-300, float(np.abs(values).max()))
