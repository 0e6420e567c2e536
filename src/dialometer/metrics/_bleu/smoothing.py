"""Smoothed n-gram precisions for sentence BLEU, vectorised over rows.

``m0`` … ``m7`` are the methods of Chen & Cherry 2014, "A Systematic Comparison of Smoothing Techniques for Sentence-Level
BLEU", with the constants of NLTK (ε 0.1, α 5, k 5); ``exp``, ``floor`` and ``add-k`` are sacrebleu's names for m3, m1, m2.
Each takes matches and n-gram totals (..., orders) and the response length (...), and returns precisions (..., orders).
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

Smoothing = Callable[[np.ndarray, np.ndarray, np.ndarray], np.ndarray]
EPSILON, ALPHA, K = 0.1, 5.0, 5.0


def none(correct: np.ndarray, total: np.ndarray, length: np.ndarray) -> np.ndarray:
    """m0: the plain ratio."""
    return _ratio(correct, total)


def epsilon(value: float) -> Smoothing:
    """m1: a small count in place of a zero one."""
    return lambda correct, total, length: _ratio(np.where(correct == 0, value, correct), total)


def add_one(correct: np.ndarray, total: np.ndarray, length: np.ndarray) -> np.ndarray:
    """m2: one more match and one more n-gram above order 1 (Lin & Och 2004)."""
    extra = np.arange(correct.shape[-1]) > 0
    return _ratio(correct + extra, total + extra)


def geometric(correct: np.ndarray, total: np.ndarray, length: np.ndarray) -> np.ndarray:
    """m3: the k-th order without a match counts 1/2^k matches (NIST)."""
    return _ratio(np.where(correct == 0, 0.5 ** _misses(correct, total), correct), total)


def short(correct: np.ndarray, total: np.ndarray, length: np.ndarray) -> np.ndarray:
    """m4: as m3, but smaller for short responses: ln(length) / (2^k · K)."""
    small = np.log(np.maximum(length, 1))[..., None] / (2.0 ** _misses(correct, total) * K)
    return _ratio(np.where(correct == 0, small, correct), total)


def neighbours(correct: np.ndarray, total: np.ndarray, length: np.ndarray) -> np.ndarray:
    """m5: the mean of the precisions of orders n−1 (smoothed), n and n+1; needs one order more than it returns."""
    return _average(_ratio(correct, total))


def interpolate(correct: np.ndarray, total: np.ndarray, length: np.ndarray) -> np.ndarray:
    """m6: matches interpolated with the prior p(n−1)²/p(n−2) from order 3 on (Gao & He 2013)."""
    p = _ratio(correct, total)
    for n in range(2, p.shape[-1]):
        prior = np.divide(p[..., n - 1] ** 2, p[..., n - 2], out=np.zeros_like(p[..., n]), where=p[..., n - 2] > 0)
        grams = np.maximum(length - n, 0)
        p[..., n] = (correct[..., n] + ALPHA * prior) / (grams + ALPHA)
    return p


def short_neighbours(correct: np.ndarray, total: np.ndarray, length: np.ndarray) -> np.ndarray:
    """m7: m4, then m5; the extra order stays plain."""
    p = np.concatenate([short(correct[..., :-1], total[..., :-1], length), _ratio(correct, total)[..., -1:]], -1)
    return _average(p)


def _ratio(correct: np.ndarray, total: np.ndarray) -> np.ndarray:
    return np.divide(correct, total, out=np.zeros(np.broadcast(correct, total).shape), where=total > 0)


def _misses(correct: np.ndarray, total: np.ndarray) -> np.ndarray:
    """For each order, how many orders so far had n-grams but no match."""
    return running_sum(((correct == 0) & (total > 0)).astype(float))


def running_sum(values: np.ndarray) -> np.ndarray:
    """The cumulative sum over the last axis; orders are few and rows many, so it goes order by order."""
    sums = values.copy()
    for n in range(1, values.shape[-1]):
        sums[..., n] += sums[..., n - 1]
    return sums


def _average(p: np.ndarray) -> np.ndarray:
    smoothed = np.empty_like(p[..., :-1])
    before = p[..., 0] + 1
    for n in range(p.shape[-1] - 1):
        before = smoothed[..., n] = (before + p[..., n] + p[..., n + 1]) / 3
    return smoothed


SMOOTHINGS: dict[str, Smoothing] = {
    "none": none,
    "floor": epsilon(EPSILON),
    "add-k": add_one,
    "exp": geometric,
    "m0": none,
    "m1": epsilon(EPSILON),
    "m2": add_one,
    "m3": geometric,
    "m4": short,
    "m5": neighbours,
    "m6": interpolate,
    "m7": short_neighbours,
    "tiny": epsilon(1e-12),
}
ONE_ORDER_MORE = frozenset({"m5", "m7"})
