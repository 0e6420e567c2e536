"""Coordinate descent over a Gram matrix: plain equal to compiled, a case by hand, and the conditions of a minimum."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dialometer.judges._solvers.lasso import path
from dialometer.kernels import jit
from dialometer.kernels.lasso import descend
from tests.kernels.test_jit import both_ways


def paths(seed=0):
    """Call the kernel by what calls it: tall and wide rows, with and without free coordinates."""
    rng = np.random.default_rng(seed)
    for n, width in ((30, 4), (6, 9), (12, 12)):
        X, y = rng.normal(size=(n, width)), rng.normal(size=n)
        path(X, y, 5)
        path(X, y, 5, prior=rng.normal(size=width), free=np.arange(width) < 2, offset=0.5)


@pytest.mark.parametrize("seed", range(3))
def test_plain_equals_compiled(seed):
    seen = set()
    with both_ways(seen):
        paths(seed)
    assert seen == {descend}


def sweep(gram, moments, weights, most=100, start=None):
    """Descend from a start; returns sweeps, θ and the slope."""
    theta = np.zeros(len(weights)) if start is None else start.copy()
    slope = moments - gram @ theta
    active = np.zeros(len(weights), np.int64)
    return jit.run(descend, gram, weights, 1e-12, most, theta, slope, active, steps=1), theta, slope


def test_two_coordinates_by_hand():
    """Both move, one up and one down: 2a + b = 5 − 1 and a + 2b = −1 + 1, so that a = 8/3 and b = −4/3."""
    sweeps, theta, slope = sweep(np.array([[2.0, 1.0], [1.0, 2.0]]), np.array([5.0, -1.0]), np.ones(2))
    np.testing.assert_allclose(theta, [8 / 3, -4 / 3], atol=1e-10)
    np.testing.assert_allclose(slope, [1, -1], atol=1e-10)
    assert 2 < sweeps < 100


def test_a_zero_column_stays_and_the_start_is_kept():
    gram, moments, weights = np.diag([2.0, 0.0]), np.array([4.0, 0.0]), np.array([0.0, 0.0])
    _, theta, _ = sweep(gram, moments, weights)
    assert theta.tolist() == [2.0, 0.0]
    assert sweep(gram, moments, weights, start=theta)[0] == 1
    assert sweep(gram, moments, weights, most=1)[0] == 1


@given(st.integers(0, 10_000), st.integers(1, 8))
def test_settles_where_the_conditions_hold(seed, width):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(12, width))
    gram, moments, weights = X.T @ X / 12, rng.normal(size=width), rng.uniform(0, 1, width) * rng.integers(0, 2, width)
    _, theta, slope = sweep(gram, moments, weights, most=100_000)
    np.testing.assert_allclose(slope, moments - gram @ theta, atol=1e-8)
    moved = theta != 0
    np.testing.assert_allclose(slope[moved], (weights * np.sign(theta))[moved], atol=1e-8)
    assert (np.abs(slope[~moved]) <= weights[~moved] + 1e-8).all()
