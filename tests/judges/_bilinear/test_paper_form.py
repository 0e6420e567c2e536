"""The papers' form: α and β, both solvers at one γ, and that folds inside keep contexts whole."""

import numpy as np
import pytest

from dialometer.judges._bilinear import paper_form as plain_form
from dialometer.judges._bilinear.inputs import Views
from dialometer.judges._bilinear.pca import Pca
from dialometer.judges._solvers import lasso
from dialometer.judges._solvers import proximal as first_order

RNG = np.random.default_rng(11)


def seen(n=240, d=9):
    context, reference, response = (RNG.normal(size=(n, d)) for _ in range(3))
    none = np.zeros((n, 0))
    return Views(context, reference, response, none, none, np.full(n, 5.0), none, none)


def target(view):
    """Along other pairs of axes than the dot product's."""
    raw = (np.roll(view.context, 1, axis=1) * view.response).sum(1) + 0.5 * (view.reference * view.response).sum(1)
    return np.clip(3 + 0.3 * raw + 0.2 * RNG.normal(size=len(raw)), 1, 5)


OPTIONS = {"pca": 9, "gamma": 0.02, "solver": "exact", "oversample": False, "scale": (1.0, 5.0), "seed": 0}


@pytest.mark.parametrize("solver", ["exact", "first-order"])
def test_learns_more_than_it_starts_with(solver):
    view = seen()
    y = target(view)
    groups = np.arange(len(y)) // 4
    errors = {
        way: (plain_form.fit(view, y, groups, **OPTIONS | {"solver": way}).left_out ** 2).mean()
        for way in (solver, "start")
    }
    assert errors[solver] < errors["start"]


def test_both_solvers_agree_at_the_same_gamma():
    view = seen()
    y = target(view)
    made = plain_form.fit(view, y, np.arange(len(y)) // 4, **OPTIONS)
    alpha, beta = made.arrays["alpha-beta"]
    axes = Pca(made.arrays["pca.mean"], made.arrays["pca.basis"])
    X = plain_form._columns(axes, view) / beta
    start = np.tile(np.eye(9).ravel(), 2)
    stepped = first_order.converge(X, y, gamma=0.02, prior=np.zeros(162), start=start, offset=-alpha / beta)
    np.testing.assert_allclose(X @ stepped.theta - alpha / beta, plain_form.score(made.arrays, view), atol=1e-3)
    assert lasso.kkt(X, y, made.arrays["theta"], -alpha / beta, 0.02) < 1e-6


def test_the_start_spans_the_scale_exactly():
    view = seen()
    made = plain_form.fit(view, target(view), np.arange(240), **OPTIONS | {"solver": "start"})
    said = plain_form.score(made.arrays, view)
    np.testing.assert_allclose([said.min(), said.max()], [1, 5])


def test_gamma_is_chosen_where_contexts_are_whole():
    """Twins in one context: were they parted, the smallest γ would win by remembering."""
    half = seen(60)
    y = RNG.normal(size=60) + 3  # nothing to learn
    twice = half.take(np.repeat(np.arange(60), 2))
    made = plain_form.fit(twice, np.repeat(y, 2), np.repeat(np.arange(60), 2), **OPTIONS | {"gamma": 0.0})
    assert made.facts["entries that are not zero"] < 20
    assert made.facts["variants"] == plain_form.GAMMAS


def test_the_learning_curve_is_kept():
    view = seen()
    made = plain_form.fit(view, target(view), np.arange(240) // 4, **OPTIONS | {"solver": "first-order"})
    curve = np.array(made.facts["learning curve"]["validation"])
    assert len(curve) == len(made.facts["learning curve"]["training"]) > 5
    assert np.nanmin(curve) < curve[0]
