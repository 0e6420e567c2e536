"""How much of a number's variance each of several correlated columns accounts for: Shapley shares of R².

``φ_j = Σ_{S ∌ j} |S|! (p − |S| − 1)! / p! · (R²(S ∪ j) − R²(S))`` (Lindeman, Merenda & Gold 1980; Grömping 2007): what a column
adds to a linear regression, averaged over all orders in which columns may come. The shares are not negative and sum to R².
"""

from __future__ import annotations

from math import factorial

import numpy as np

MOST = 12  # columns: 4,096 regressions


def shapley_shares(columns: np.ndarray, target: np.ndarray) -> np.ndarray:
    """The share of each of up to 12 columns; 0 for one that does not vary.

    >>> x = np.array([[1.0, 1.0], [1.0, -1.0], [-1.0, 1.0], [-1.0, -1.0]])
    >>> shapley_shares(x, 2 * x[:, 0] + x[:, 1]).round(6).tolist()
    [0.8, 0.2]
    """
    count = columns.shape[1]
    if count > MOST:
        raise ValueError(f"{count} columns: shares are of up to {MOST}")
    reached = _r_squared(columns, target)
    sets = np.arange(1 << count)
    sizes = np.array([bin(number).count("1") for number in sets])
    weights = np.array([factorial(size) * factorial(count - size - 1) / factorial(count) for size in range(count)])
    shares = np.zeros(count)
    for j in range(count):
        without = sets[(sets >> j & 1) == 0]
        shares[j] = weights[sizes[without]] @ (reached[without | 1 << j] - reached[without])
    return shares


def _r_squared(columns: np.ndarray, target: np.ndarray) -> np.ndarray:
    """R² of every set of columns, a set being the bits of its number."""
    centred, goal = columns - columns.mean(0), target - target.mean()
    spread = np.sqrt((centred**2).sum(0))
    flat = spread <= 1e-12 * np.maximum(1, np.abs(columns).max(0, initial=0))
    unit = np.where(flat, 0.0, centred / np.where(flat, 1.0, spread))
    total = float(goal @ goal)
    found = np.zeros(1 << columns.shape[1])
    if total <= 0:
        return found
    among, along = unit.T @ unit, unit.T @ goal / np.sqrt(total)
    for number in range(1, len(found)):
        own = [j for j in range(columns.shape[1]) if number >> j & 1]
        found[number] = along[own] @ np.linalg.lstsq(among[np.ix_(own, own)], along[own], rcond=1e-10)[0]
    return found
