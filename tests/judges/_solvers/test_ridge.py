"""Ridge: against scikit-learn, and the errors by left-out group against fits that truly left it out."""

import numpy as np
import pytest
from sklearn.linear_model import Ridge as Oracle

from dialometer.judges._solvers.ridge import along, axes_of_columns, axes_of_kernel, ridge

RNG = np.random.default_rng(3)
PENALTIES = np.array([0.01, 0.3, 10.0])


def task(n, p):
    columns = RNG.normal(size=(n, p)) + 0.5
    target = columns[:, 0] - 2 * columns[:, 1] + RNG.normal(size=n)
    return columns, target, np.arange(n) // 3


@pytest.mark.parametrize(("n", "p"), [(40, 7), (20, 50)])
def test_against_scikit_learn(n, p):
    columns, target, groups = task(n, p)
    made = ridge(np.ones((n, 1)), columns, target, groups, PENALTIES)
    for penalty, free, theta in zip(made.penalties, made.free, made.theta, strict=True):
        oracle = Oracle(alpha=penalty).fit(columns, target)
        np.testing.assert_allclose(theta, oracle.coef_, atol=1e-9)
        np.testing.assert_allclose(free, [oracle.intercept_], atol=1e-9)


@pytest.mark.parametrize(("n", "p"), [(40, 7), (20, 50)])
def test_free_columns_are_not_shrunk(n, p):
    columns, target, groups = task(n, p)
    free = np.stack([np.ones(n), RNG.normal(size=n)], axis=1)
    target = target + 100 * free[:, 1]
    made = ridge(free, columns, target, groups, np.array([1e9]))
    np.testing.assert_allclose(made.free[0], np.linalg.lstsq(free, target, rcond=None)[0], rtol=1e-6)


@pytest.mark.parametrize(("n", "p"), [(40, 7), (20, 50)])
def test_left_out_groups_are_as_if_never_seen(n, p):
    columns, target, groups = task(n, p)
    free = np.stack([np.ones(n), RNG.normal(size=n)], axis=1)
    made = ridge(free, columns, target, groups, PENALTIES)
    for penalty, errors in zip(made.penalties, made.left_out, strict=True):
        for group in np.unique(groups):
            rows, held = groups != group, groups == group
            both = np.concatenate([free, columns], axis=1)
            shrunk = np.diag([0.0, 0.0, *[penalty] * p])
            theta = np.linalg.solve(both[rows].T @ both[rows] + shrunk, both[rows].T @ target[rows])
            np.testing.assert_allclose(errors[held], target[held] - both[held] @ theta, atol=1e-6)


def test_kernel_and_columns_are_two_spellings():
    columns, target, groups = task(30, 12)
    free = np.ones((30, 1))
    one = along(axes_of_columns(free, columns), target, groups, PENALTIES)
    two = along(axes_of_kernel(free, columns @ columns.T), target, groups, PENALTIES)
    np.testing.assert_allclose(one.fitted, two.fitted, atol=1e-9)
    np.testing.assert_allclose(one.left_out, two.left_out, atol=1e-8)
    np.testing.assert_allclose(one.rows @ columns, two.rows @ columns, atol=1e-9)


def test_no_penalised_column():
    _, target, groups = task(9, 2)
    made = ridge(np.ones((9, 1)), np.zeros((9, 0)), target, groups, PENALTIES)
    np.testing.assert_allclose(made.free, np.full((3, 1), target.mean()))
