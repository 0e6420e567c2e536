"""The form of M_H: against scikit-learn and brute force; what shrinks, what bends, what is mixed in."""

import numpy as np
import pytest
from sklearn.linear_model import LinearRegression, Ridge

from dialometer.judges._hybrid.nystroem import NystroemFeatures
from dialometer.judges._hybrid.regression import EDGE, PENALTIES, Design, Solver
from dialometer.judges._shared.features import Standard

NONE = np.zeros(5)


def world(seed=0, bots=6, n=40, p=5, slope=1.0):
    rng = np.random.default_rng(seed)
    groups = np.repeat(np.arange(bots), n)
    x = rng.normal(size=(bots, p))[groups] * 0.5 + rng.normal(size=(bots * n, p))
    return x * [1, 10, 0.1, 2, 3] + 4, slope * x @ np.arange(p) + rng.normal(size=bots * n), groups


def test_ols_as_in_scikit_learn():
    x, y, groups = world()
    form = Design.of(x, groups, "ols", NONE).solve(y)
    np.testing.assert_allclose(form.predict(x), LinearRegression().fit(x, y).predict(x), atol=1e-9)
    assert form.chosen["penalty"] == 0


def test_ols_takes_columns_that_say_the_same():
    """The least weights: both halves of a doubled column get the same."""
    x, y, groups = world()
    form = Design.of(np.concatenate([x, x[:, :1]], axis=1), groups, "ols", np.zeros(6)).solve(y)
    np.testing.assert_allclose(form.predict(np.concatenate([x, x[:, :1]], axis=1)), LinearRegression().fit(x, y).predict(x))
    np.testing.assert_allclose(form.weights[0], form.weights[5])


def test_ridge_as_in_scikit_learn_with_errors_by_brute_force():
    x, y, groups = world()
    form = Design.of(x, groups, "ridge", NONE, systems=False).solve(y)
    z = Standard.fit(x).apply(x)
    size = (z**2).sum() / len(z)
    np.testing.assert_allclose(form.predict(x), Ridge(alpha=form.chosen["penalty"] * size).fit(z, y).predict(z), atol=1e-8)
    errors = []
    for share in PENALTIES:
        fits = [(groups == g, Ridge(alpha=share * size).fit(z[groups != g], y[groups != g])) for g in range(6)]
        errors.append(np.mean(np.concatenate([(fit.predict(z[own]) - y[own]) ** 2 for own, fit in fits])))
    assert form.chosen["penalty"] == PENALTIES[int(np.argmin(errors))]
    assert form.chosen["error left out"] == pytest.approx(min(errors))


def test_solver_leaves_the_free_part_unpenalised():
    rng = np.random.default_rng(1)
    x, y = rng.normal(size=(50, 4)) + 3, rng.normal(size=50)
    found = Solver.of((x.T @ x)[None], 1)((x.T @ y)[None], np.array([7.0]))[0, 0]
    direct = np.linalg.solve(x.T @ x + 7 * np.diag([0, 1, 1, 1]), x.T @ y)
    np.testing.assert_allclose(found, direct, atol=1e-10)


def test_expected_weights_are_what_shrinking_ends_at(monkeypatch):
    """Under the greatest penalty the weights are a multiple of the expected ones, and plain ridge has none."""
    monkeypatch.setattr("dialometer.judges._hybrid.regression.PENALTIES", np.array([1e9]))
    x, y, groups = world()
    expected = np.array([0.5, 0.25, 0, 0, -0.25])
    form = Design.of(x, groups, "ridge", expected, systems=False).solve(y)
    np.testing.assert_allclose(form.weights, form.chosen["expected"] * expected, atol=1e-6)
    assert np.abs(Design.of(x, groups, "ridge", NONE, systems=False).solve(y).weights).max() < 1e-6


def test_curves_are_found_where_there_are_any():
    rng = np.random.default_rng(2)
    groups = np.repeat(np.arange(6), 60)
    x = rng.normal(size=(360, 3))
    y = x[:, 0] ** 2 + 0.1 * rng.normal(size=360)
    curved, straight = (Design.of(x, groups, model, np.zeros(3)).solve(y) for model in ("curved", "ridge"))
    assert curved.chosen["bend"] > 0
    assert curved.chosen["error left out"] < 0.2 * straight.chosen["error left out"]


def test_slopes_are_derivatives():
    rng = np.random.default_rng(3)
    z = rng.normal(size=(80, 4))
    nystroem = NystroemFeatures.fit(z, 0.5)
    weights, step = rng.normal(size=len(nystroem.mean)), 1e-5
    for column, slope in enumerate(nystroem.slopes(z, weights)):
        moved = np.eye(4)[column] * step
        direct = (nystroem.columns(z + moved) - nystroem.columns(z - moved)) @ weights / (2 * step)
        assert slope == pytest.approx(direct.mean(), rel=1e-4, abs=1e-7)


def test_landmarks_give_the_kernel_back():
    """With every row a landmark, products of the columns are the centred kernel."""
    z = np.random.default_rng(4).normal(size=(30, 3))
    columns = NystroemFeatures.fit(z, 1.0).columns(z)
    kernel = np.exp(-((z[:, None] - z[None]) ** 2).sum(-1) / 6)
    centre = np.eye(30) - 1 / 30
    np.testing.assert_allclose(columns @ columns.T, centre @ kernel @ centre, atol=1e-6)


@pytest.mark.invariance
def test_curves_of_a_row_are_batch_invariant():
    rng = np.random.default_rng(6)
    z = rng.normal(size=(200, 5))
    nystroem = NystroemFeatures.fit(z, 0.3)
    weights = 1e3 * rng.normal(size=len(nystroem.mean))
    whole = nystroem.weighted_sum(z, weights)
    np.testing.assert_allclose(whole, nystroem.columns(z) @ weights, rtol=1e-6, atol=1e-6)
    assert [nystroem.weighted_sum(z[row : row + 1], weights)[0] for row in range(200)] == whole.tolist()


def test_what_tells_systems_apart_is_mixed_in_where_conversations_say_otherwise():
    """Between systems a feature raises ratings, within them it lowers them: the fit to conversations alone has it wrong."""
    rng = np.random.default_rng(5)
    level, groups = np.linspace(-1, 1, 10), np.repeat(np.arange(10), 60)
    inside = rng.normal(size=(600, 1))
    x = 0.3 * level[groups][:, None] + inside
    y = level[groups] - 0.5 * inside[:, 0] + rng.normal(size=600)
    alone = Design.of(x, groups, "ridge", np.zeros(1), systems=False).solve(y)
    mixed = Design.of(x, groups, "ridge", np.zeros(1)).solve(y)
    assert alone.weights[0] < 0 < mixed.weights[0]
    assert mixed.chosen["share of systems"] > 0
    same = Design.of(x, groups, "ridge", np.zeros(1)).solve(2 * inside[:, 0] + 0.6 * level[groups] + rng.normal(size=600))
    assert same.chosen["share of systems"] == 0


def test_any_scale_of_ratings():
    x, y, groups = world()
    for model in ("curved", "ridge", "ols"):
        one, other = (Design.of(x, groups, model, NONE).solve(values) for values in (y, 100 - 20 * y))
        np.testing.assert_allclose(other.predict(x), 100 - 20 * one.predict(x), rtol=1e-6)


@pytest.mark.parametrize("model", ["curved", "ridge", "ols"])
def test_what_never_varied_has_no_weight_and_no_say(model):
    x, y, groups = world()
    x[:, 1] = 0.1
    form = Design.of(x, groups, model, np.full(5, 0.2)).solve(y)
    assert abs(form.weights[1]) < 1e-12 > abs(form.slopes(x)[1])
    other = x.copy()
    other[:, 1] = 35.0
    np.testing.assert_array_equal(form.predict(other), form.predict(x))


@pytest.mark.parametrize("model", ["curved", "ridge"])
def test_beyond_the_edge_nothing_more_is_won(model):
    x, y, groups = world()
    form = Design.of(x, groups, model, np.full(5, 0.2)).solve(y)
    row = x[:1].copy()
    far = [row + (form.standard.mean + many * form.standard.scale - row) * np.eye(5)[2] for many in (EDGE, 100.0)]
    assert form.predict(far[0]) == form.predict(far[1])
