"""Scores that put rows in the right order, and what brings such scores to the rating scale.

``rank_fit`` minimises the pairwise logistic loss (Burges et al. 2005, RankNet) of a linear score s = Xθ,

    Σ w_ij ln(1 + exp(−(s_i − s_j))) / Σ w_ij + Σ λ_k (θ_k − θ⁰_k)²      over pairs with y_i > y_j,

which does not reward scores for staying near the mean, as squared error does. Its scores have no scale of their own:
``same_spread`` gives them the ratings' mean and standard deviation, from scores of rows that were left out, since those of the very
rows that θ was fitted on spread too far.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from dialometer.core.errors import NeedsError
from dialometer.core.seeds import derived

PAIRS = 500_000  # all pairs of about 1,000 rows; of more, a sample


def rank_fit(
    X: np.ndarray,
    y: np.ndarray,
    *,
    penalty: float | np.ndarray = 1e-3,
    seed: int = 0,
    groups: Sequence[str] | np.ndarray | None = None,
    prior: np.ndarray | None = None,
    by_gap: bool = True,
) -> np.ndarray:
    """θ of the order-preserving score Xθ; ``penalty`` is one λ or one per column, ``prior`` is θ⁰ (zeros).

    Pairs are weighted by y_i − y_j (``by_gap``). With ``groups`` only rows of the same group are compared.
    """
    from scipy.optimize import minimize

    X = np.asarray(X, np.float64)
    higher, lower = ranked_pairs(np.asarray(y, np.float64), groups, seed)
    weights = y[higher] - y[lower] if by_gap else np.ones(len(higher))
    weights = weights / weights.sum()
    centre = np.zeros(X.shape[1]) if prior is None else np.asarray(prior, np.float64)
    n, shrink = len(X), np.broadcast_to(np.asarray(penalty, np.float64), centre.shape)

    def loss(theta: np.ndarray) -> tuple[float, np.ndarray]:
        scores, away = X @ theta, theta - centre
        gaps = scores[higher] - scores[lower]
        pull = weights / (1 + np.exp(np.minimum(gaps, 500)))
        slope = np.bincount(lower, pull, n) - np.bincount(higher, pull, n)
        value = weights @ np.logaddexp(0, -gaps) + shrink @ away**2
        return float(value), X.T @ slope + 2 * shrink * away

    found = minimize(loss, centre, jac=True, method="L-BFGS-B", options={"maxiter": 1000, "ftol": 1e-13, "gtol": 1e-8})
    return np.asarray(found.x)


def ranked_pairs(
    y: np.ndarray, groups: Sequence[str] | np.ndarray | None = None, seed: int = 0, most: int = PAIRS
) -> tuple[np.ndarray, np.ndarray]:
    """Rows i and j of pairs with y_i > y_j: all of them, or where there are more than ``most``, a sample without repetition.

    >>> [rows.tolist() for rows in ranked_pairs(np.array([3.0, 1.0, 3.0, 2.0]))]
    [[3, 0, 2, 0, 2], [1, 1, 1, 3, 3]]
    """
    codes = np.zeros(len(y), np.int64) if groups is None else np.unique(np.asarray(groups), return_inverse=True)[1]
    order = np.lexsort((y, codes))
    sizes = np.bincount(codes, minlength=1)
    ends = np.cumsum(sizes)[codes[order]]
    # in sorted order, the rows above row k are those from the end of its ties to the end of its group
    keys = np.stack([codes[order], np.unique(y, return_inverse=True)[1][order]])
    new = np.flatnonzero(np.r_[True, (keys[:, 1:] != keys[:, :-1]).any(0)]) if len(y) else np.zeros(0, np.int64)
    first = np.repeat(np.r_[new[1:], len(y)], np.diff(np.r_[new, len(y)])) if len(y) else new
    counts = ends - first
    total = int(counts.sum())
    if not total:
        raise NeedsError("no two rows have different ratings, so there is no order to learn", "ratings of more values")
    chosen = np.arange(total)
    if total > most:
        rng = np.random.default_rng(derived(seed, "pairs"))
        chosen = np.sort(rng.choice(total, most, replace=False, shuffle=False))
    starts = np.cumsum(counts) - counts
    low = np.searchsorted(starts + counts, chosen, "right")
    return order[first[low] + chosen - starts[low]], order[low]


def same_spread(scores: np.ndarray, y: np.ndarray) -> tuple[float, float]:
    """α and β for which (s − α)/β has the mean and the standard deviation of the ratings.

    >>> same_spread(np.array([0.0, 2.0]), np.array([1.0, 5.0]))
    (-0.5, 0.5)
    """
    spread = float(np.std(scores)) or 1.0
    beta = spread / (float(np.std(y)) or 1.0)
    return float(np.mean(scores) - beta * np.mean(y)), beta
