"""Shares of R²: against regressions in every order by scikit-learn, and what must hold of any columns."""

from itertools import permutations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.linear_model import LinearRegression

from dialometer.stats.validation.shapley import MOST, shapley_shares


def mixed(seed: int, n: int = 60, p: int = 4) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    columns = rng.normal(size=(n, p)) @ rng.normal(size=(p, p))
    return columns, columns @ rng.normal(size=p) + 3 * rng.normal(size=n)


def r2(columns: np.ndarray, target: np.ndarray) -> float:
    return LinearRegression().fit(columns, target).score(columns, target) if columns.shape[1] else 0.0


def test_what_each_column_adds_averaged_over_all_orders() -> None:
    columns, target = mixed(3)
    added = np.zeros(4)
    for order in permutations(range(4)):
        for place, j in enumerate(order):
            added[j] += r2(columns[:, order[: place + 1]], target) - r2(columns[:, order[:place]], target)
    assert shapley_shares(columns, target) == pytest.approx(added / 24, abs=1e-9)


@given(st.integers(0, 10_000))
def test_shares_sum_to_r2_and_none_is_negative(seed: int) -> None:
    columns, target = mixed(seed)
    shares = shapley_shares(columns, target)
    assert shares.sum() == pytest.approx(r2(columns, target), abs=1e-8)
    assert (shares > -1e-9).all()


def test_two_copies_share_alike_and_a_constant_has_nothing() -> None:
    columns, target = mixed(5, p=2)
    one = shapley_shares(columns, target)
    shares = shapley_shares(np.column_stack([columns[:, 0], columns, np.full(60, 7.0)]), target)
    assert shares[0] == pytest.approx(shares[1], abs=1e-9)
    assert shares[3] == 0
    assert shares.sum() == pytest.approx(one.sum(), abs=1e-8)


def test_a_target_that_does_not_vary_and_too_many_columns() -> None:
    columns, _ = mixed(1)
    assert shapley_shares(columns, np.ones(60)).tolist() == [0, 0, 0, 0]
    with pytest.raises(ValueError, match="up to 12"):
        shapley_shares(np.zeros((5, MOST + 1)), np.zeros(5))
