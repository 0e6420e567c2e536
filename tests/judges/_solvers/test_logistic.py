"""Logistic regression and its area, against scikit-learn."""

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import roc_auc_score

from dialometer.judges._solvers.logistic import auc, log_loss, logistic_fit


def _rows(seed):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(150, 4))
    return X, X[:, 0] - X[:, 1] + rng.normal(size=150) > 1


@pytest.mark.parametrize("penalty", [1e-3, 0.1, 3.0])
def test_weights_as_in_scikit_learn(penalty):
    """Theirs: ½‖θ‖² + C Σ w loss, where balanced weights sum to n; ours sum to 1, so C = 1/(2 λ n)."""
    X, yes = _rows(0)
    oracle = LogisticRegression(C=1 / (2 * penalty * len(X)), class_weight="balanced", tol=1e-10, max_iter=10_000).fit(
        X, yes
    )
    np.testing.assert_allclose(logistic_fit(X, yes, penalty), [oracle.intercept_[0], *oracle.coef_[0]], atol=2e-5)


def test_where_it_starts_does_not_matter():
    X, yes = _rows(1)
    start = np.full(5, 3.0)
    np.testing.assert_allclose(logistic_fit(X, yes, 0.01, start=start), logistic_fit(X, yes, 0.01), atol=1e-4)


def test_loss_is_the_minimum_at_the_fit():
    X, yes = _rows(2)
    best = logistic_fit(X, yes, 1e-9)
    at = log_loss(best[0] + X @ best[1:], yes)
    for k in range(5):
        other = best.copy()
        other[k] += 0.1
        assert log_loss(other[0] + X @ other[1:], yes) > at


def test_auc_as_in_scikit_learn():
    for seed in range(5):
        rng = np.random.default_rng(seed)
        scores, yes = np.round(rng.normal(size=60), 1), rng.random(60) < 0.3
        assert np.isclose(auc(scores, yes), roc_auc_score(yes, scores))
    assert np.isnan(auc(np.ones(3), np.ones(3, bool)))
