"""Rank loss and monotone maps, against scikit-learn, finite differences and cases worked by hand."""

import numpy as np
import pytest
from scipy.stats import spearmanr
from sklearn.linear_model import LogisticRegression

from dialometer.core.errors import NeedsError
from dialometer.judges._bilinear.rank_loss import (
    rank_fit,
    ranked_pairs,
    same_spread,
)


def _rows(n=120, width=5, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, width))
    truth = rng.normal(size=width)
    return X, np.clip(np.round(3 + X @ truth + rng.normal(size=n)), 1, 5), truth


def _by_hand(y, groups):
    return {(i, j) for i in range(len(y)) for j in range(len(y)) if y[i] > y[j] and groups[i] == groups[j]}


@pytest.mark.parametrize("seed", range(5))
def test_pairs_are_those_with_a_higher_and_a_lower_row(seed):
    rng = np.random.default_rng(seed)
    y, groups = rng.integers(1, 6, 40).astype(float), rng.choice(["a", "b", "c"], 40)
    for own, labels in ((None, ["x"] * 40), (groups, groups)):
        pairs = list(zip(*(rows.tolist() for rows in ranked_pairs(y, own)), strict=True))
        assert len(pairs) == len(set(pairs))
        assert set(pairs) == _by_hand(y, labels)


def test_a_sample_of_pairs_has_no_pair_twice_and_follows_the_seed():
    y = np.random.default_rng(0).normal(size=200)
    high, low = ranked_pairs(y, seed=1, most=500)
    assert len(set(zip(high.tolist(), low.tolist(), strict=True))) == 500
    assert (y[high] > y[low]).all()
    assert ranked_pairs(y, seed=1, most=500)[0].tolist() == high.tolist()
    assert ranked_pairs(y, seed=2, most=500)[0].tolist() != high.tolist()


def test_nothing_to_rank_is_refused():
    with pytest.raises(NeedsError, match="no two rows"):
        ranked_pairs(np.ones(5))
    with pytest.raises(NeedsError, match="no two rows"):
        rank_fit(np.ones((3, 1)), np.array([1.0, 2.0, 3.0]), groups=["a", "b", "c"])


@pytest.mark.parametrize("by_gap", [True, False])
def test_equals_logistic_regression_on_differences(by_gap):
    """The same problem for scikit-learn: rows x_i − x_j, class 1, and their mirror images, no intercept; C = 1/(2 λ) per weight."""
    X, y, _ = _rows()
    high, low = ranked_pairs(y)
    weights = y[high] - y[low] if by_gap else np.ones(len(high))
    weights = weights / weights.sum()
    differences = X[high] - X[low]
    oracle = LogisticRegression(C=1 / (2 * 0.01), fit_intercept=False, tol=1e-10, max_iter=10_000)
    oracle.fit(
        np.concatenate([differences, -differences]),
        np.repeat([1, 0], len(differences)),
        sample_weight=np.concatenate([weights, weights]) / 2,
    )
    np.testing.assert_allclose(rank_fit(X, y, penalty=0.01, by_gap=by_gap), oracle.coef_[0], atol=1e-5)


def test_shrinks_towards_the_prior_column_by_column():
    X, y, _ = _rows()
    prior = np.array([1.0, -2.0, 0.0, 3.0, 0.5])
    np.testing.assert_allclose(rank_fit(X, y, penalty=1e6, prior=prior), prior, atol=1e-4)
    free = rank_fit(X, y, penalty=np.array([1e-6, 1e6, 1e-6, 1e6, 1e6]), prior=prior)
    np.testing.assert_allclose(free[[1, 3, 4]], prior[[1, 3, 4]], atol=1e-4)
    assert (np.abs(free - prior)[[0, 2]] > 0.1).all()


def test_within_groups_an_offset_of_the_group_does_not_matter():
    X, y, _ = _rows(200)
    groups = np.arange(200) // 10
    shifted = y + 100.0 * groups
    ours = rank_fit(X, shifted, groups=groups, by_gap=False)
    np.testing.assert_allclose(ours, rank_fit(X, y, groups=groups, by_gap=False), atol=1e-6)
    assert np.abs(ours - rank_fit(X, shifted, by_gap=False)).max() > 0.1


def test_finds_the_order_and_keeps_the_spread():
    """Few rows, many columns: squared error huddles at the mean; ranks brought to their spread do not."""
    X, y, truth = _rows(400, 20, seed=2)
    learn, test = np.arange(300), np.arange(300, 400)
    theta = rank_fit(X[learn], y[learn], penalty=1e-3)
    assert spearmanr(X[test] @ theta, X[test] @ truth)[0] > 0.9
    scores = X @ theta
    alpha, beta = same_spread(scores[learn], y[learn])
    assert 0.8 < ((scores[test] - alpha) / beta).std() / y[test].std() < 1.2


def test_same_spread():
    scores, y = np.array([1.0, 4.0, 7.0]), np.array([2.0, 2.5, 6.0])
    alpha, beta = same_spread(scores, y)
    made = (scores - alpha) / beta
    np.testing.assert_allclose([made.mean(), made.std()], [y.mean(), y.std()])
    assert same_spread(np.ones(3), y)[1] > 0
