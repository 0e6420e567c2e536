"""Logistic regression of two classes that weigh the same, and how well its scores tell them apart."""

from __future__ import annotations

import numpy as np


def logistic_fit(X: np.ndarray, yes: np.ndarray, penalty: float, start: np.ndarray | None = None) -> np.ndarray:
    """Intercept and weights that minimise the balanced loss + penalty · ‖θ‖², the intercept free."""
    from scipy.optimize import minimize

    sign = np.where(yes, 1.0, -1.0)
    balance = _balance(yes)

    def loss(theta: np.ndarray) -> tuple[float, np.ndarray]:
        margin = sign * (theta[0] + X @ theta[1:])
        pull = -balance * sign / (1 + np.exp(np.minimum(margin, 500)))
        value = balance @ np.logaddexp(0, -margin) + penalty * theta[1:] @ theta[1:]
        return float(value), np.concatenate([[pull.sum()], X.T @ pull + 2 * penalty * theta[1:]])

    first = np.zeros(X.shape[1] + 1) if start is None else start
    found = minimize(loss, first, jac=True, method="L-BFGS-B", options={"maxiter": 2000, "ftol": 1e-12, "gtol": 1e-7})
    return np.asarray(found.x)


def log_loss(scores: np.ndarray, yes: np.ndarray) -> float:
    """Balanced ``Σ w ln(1 + exp(−y s))``; ln 2 for scores that say nothing.

    >>> round(log_loss(np.zeros(3), np.array([True, False, False])), 4)
    0.6931
    """
    return float(_balance(yes) @ np.logaddexp(0, np.where(yes, -scores, scores)))


def auc(scores: np.ndarray, yes: np.ndarray) -> float:
    """The probability that one of these scores higher than one of the others, ties counting half; NaN without both.

    >>> auc(np.array([1.0, 2.0, 2.0, 3.0]), np.array([False, False, True, True]))
    0.875
    """
    others, own = np.sort(scores[~yes]), scores[yes]
    if not len(others) or not len(own):
        return float("nan")
    below = np.searchsorted(others, own, "left") + np.searchsorted(others, own, "right")
    return float(below.sum() / (2 * len(others) * len(own)))


def _balance(yes: np.ndarray) -> np.ndarray:
    """Weights that sum to ½ over each class."""
    return np.where(yes, 0.5 / max(1, int(yes.sum())), 0.5 / max(1, int((~yes).sum())))
