"""Boosted trees against scikit-learn's, and against a split found by trying all of them."""

import numpy as np
import pytest
from sklearn.ensemble import HistGradientBoostingRegressor

from dialometer.judges._solvers import trees as stack_trees
from dialometer.judges._solvers.trees import boost


def _friedman(n, seed):
    """Friedman's first test function (Friedman 1991, eq. 61) with five columns of noise beside."""
    rng = np.random.default_rng(seed)
    X = rng.random((n, 10))
    truth = 10 * np.sin(np.pi * X[:, 0] * X[:, 1]) + 20 * (X[:, 2] - 0.5) ** 2 + 10 * X[:, 3] + 5 * X[:, 4]
    return X, truth + rng.normal(size=n), truth


def test_error_like_scikit_learn():
    X, y, _ = _friedman(1000, 0)
    fresh, _, truth = _friedman(2000, 1)
    oracle = HistGradientBoostingRegressor(
        max_iter=200, learning_rate=0.05, max_depth=3, min_samples_leaf=20, l2_regularization=1.0, early_stopping=False
    ).fit(X, y)
    theirs = np.mean((oracle.predict(fresh) - truth) ** 2)
    ours = np.mean((boost(X, y, 200).predict(fresh) - truth) ** 2)
    assert ours < 1.1 * theirs
    assert theirs < 0.1 * truth.var()


def test_first_split_is_the_best_of_all(monkeypatch):
    monkeypatch.setattr(stack_trees, "DEPTH", 1)
    monkeypatch.setattr(stack_trees, "SHRINK", 1e-9)
    monkeypatch.setattr(stack_trees, "LEAST", 3)
    monkeypatch.setattr(stack_trees, "RATE", 1.0)
    rng = np.random.default_rng(4)
    X, y = np.round(rng.normal(size=(50, 3)), 1), rng.normal(size=50)
    tree = boost(X, y, 1)
    errors = {}
    for column in range(3):
        for cut in np.unique(X[:, column])[:-1]:
            right = X[:, column] > cut
            if 3 <= right.sum() <= 47:
                errors[column, cut] = ((y - np.where(right, y[right].mean(), y[~right].mean())) ** 2).sum()
    best = min(errors.values())
    assert np.isclose(((y - tree.predict(X)) ** 2).sum(), best)
    column, cut = min(errors, key=errors.get)
    assert tree.feature[0, 0] == column
    assert cut < tree.threshold[0, 0] <= X[X[:, column] > cut, column].min()


@pytest.mark.invariance
def test_rows_do_not_depend_on_their_company():
    X, y, _ = _friedman(300, 2)
    trees = boost(X, y, 20)
    alone = np.concatenate([trees.predict(X[i : i + 1]) for i in range(30)])
    assert alone.tolist() == trees.predict(X)[:30].tolist()
    assert len(trees.predict(X[:0])) == 0


def test_steps_add_up_and_fewer_rounds_are_a_beginning():
    X, y, _ = _friedman(300, 3)
    trees = boost(X, y, 12)
    np.testing.assert_allclose(trees.predict(X), trees.start + trees.steps(X).sum(1))
    assert trees.leaf.tolist()[:5] == boost(X, y, 5).leaf.tolist()


@pytest.mark.parametrize("rows", [1, 5, 39])
def test_too_few_rows_to_split_give_the_mean(rows):
    X, y, _ = _friedman(rows, 5)
    trees = boost(X, y, 3)
    np.testing.assert_allclose(trees.predict(X), y.mean())
    assert trees.shares(10).sum() == 0


def test_shares_name_the_columns_that_matter():
    X, y, _ = _friedman(1000, 6)
    shares = boost(X, y, 100).shares(10)
    assert np.isclose(shares.sum(), 1)
    assert shares[:5].sum() > 0.9
