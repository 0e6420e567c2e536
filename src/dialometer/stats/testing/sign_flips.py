"""The paired permutation test: if two sides do not differ, every difference may as well have the other sign (Fisher 1935, §21).

``p = #{signs : |Σ ±d| ≥ |Σ d|} / 2ⁿ`` over all signs where there are few pairs; else over signs drawn at random, the given ones
counted with them (Phipson and Smyth 2010), so that p is never 0.
"""

from __future__ import annotations

import numpy as np

from dialometer.stats.resample import seed_for

EXACT = 16  # pairs up to which all signs are counted
SLACK = 1e-9  # sums that differ by less, relative to Σ |d|, are ties that rounding pulled apart
PIECE = 1 << 22  # signs held at once


def sign_flip_p(differences: np.ndarray, *, permutations: int = 10_000, seed: int = 0) -> tuple[float, bool]:
    """Two-sided p of the mean difference, and whether all signs were counted; NaN without a pair.

    >>> sign_flip_p(np.array([1.0, 2.0, 3.0, 4.0]))
    (0.125, True)
    """
    d = np.asarray(differences, float)
    if not len(d):
        return float("nan"), True
    moved = d[d != 0]  # a difference of 0 has no sign: it changes no sum
    least = abs(float(moved.sum())) - SLACK * float(np.abs(moved).sum())
    if len(moved) <= EXACT:
        sums = np.zeros(1)
        for one in moved.tolist():
            sums = np.concatenate([sums + one, sums - one])
        return float((np.abs(sums) >= least).mean()), True
    if permutations < 1:
        return float("nan"), False
    rng = np.random.default_rng(seed_for(seed, "sign flips"))
    beyond, step = 0, max(1, PIECE // len(moved))
    for first in range(0, permutations, step):
        signs = rng.integers(0, 2, (min(step, permutations - first), len(moved)), np.int8)
        sums = 2 * (signs @ moved) - moved.sum()
        beyond += int((np.abs(sums) >= least).sum())
    return (1 + beyond) / (1 + permutations), False
