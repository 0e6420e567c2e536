"""The exact solver beside scikit-learn, its optimality on real ratings, and what must hold for any rows."""

from functools import cache

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from sklearn.linear_model import Lasso, lasso_path

from dialometer.core.errors import DataError, UsageError
from dialometer.core.registry import create
from dialometer.judges._bilinear.scale import alpha_beta
from dialometer.judges._solvers.lasso import kkt, largest_gamma, path
from tests.real import lines

WIDTH = 7  # the paper's


@cache
def _rated(file):
    """Outer products of last turn and response, and of reference and response, after PCA: (X, y, identity, −α/β)."""
    rows = [row for row in lines(file) if row["system"] != "ground-truth"][::2]
    texts = [
        [row["context"][-1] for row in rows],
        [row["references"][0] for row in rows],
        [row["response"] for row in rows],
    ]
    distinct = list(dict.fromkeys(text for some in texts for text in some))
    vectors = create("encoder", "minilm").encode(distinct).astype(float)
    vectors -= vectors.mean(axis=0)
    place = {text: at for at, text in enumerate(distinct)}
    small = vectors @ np.linalg.svd(vectors, full_matrices=False)[2][:WIDTH].T
    context, reference, response = (small[[place[text] for text in some]] for some in texts)
    outer = [(side[:, :, None] * response[:, None, :]).reshape(len(rows), -1) for side in (context, reference)]
    X, identity = np.concatenate(outer, axis=1), np.tile(np.eye(WIDTH).ravel(), 2)
    alpha, beta = alpha_beta(X @ identity, 1, 5)
    return X / beta, np.array([np.mean(row["ratings"]["appropriateness"]) for row in rows]), identity, -alpha / beta


@pytest.fixture(scope="module")
def rated(shared_data):
    return _rated(shared_data("turns/zhao_dailydialog.jsonl.gz"))


def objective(X, y, theta, offset, gamma, prior=0.0, free=False):
    """As the module's docstring writes it."""
    return np.mean((y - X @ theta - offset) ** 2) + gamma * np.abs(theta - prior)[~np.broadcast_to(free, theta.shape)].sum()


@st.composite
def tasks(draw):
    """Rows of any shape, some columns repeated or constant, ratings, and options."""
    rng = np.random.default_rng(draw(st.integers(0, 100_000)))
    n, width = draw(st.integers(2, 25)), draw(st.integers(1, 12))
    X = rng.normal(size=(n, width)) * rng.choice([0.01, 1.0, 30.0], width)
    if draw(st.booleans()):
        X[:, -1] = X[:, 0]
    if draw(st.booleans()):
        X[:, width // 2] = draw(st.sampled_from([0.0, 0.1, 3.0]))
    options = {
        "prior": draw(st.sampled_from([None, np.arange(width) % 2.0])),
        "free": draw(st.sampled_from([None, np.arange(width) % 3 == 0])),
        "offset": draw(st.sampled_from([None, 0.7])),
    }
    return X, rng.integers(1, 6, n).astype(float), options


def violation(X, y, found, at, options):
    """Of the conditions of a minimum, as a share of what slopes such rows could have."""
    rest = {"prior": options["prior"], "free": options["free"], "fitted": options["offset"] is None}
    size = np.sqrt(np.mean(X**2, axis=0).max(initial=0) * np.mean(y**2)) + 1
    return kkt(X, y, found.thetas[at], found.offsets[at], found.gammas[at], **rest) / size


@pytest.mark.oracle
@pytest.mark.parametrize("fitted", [True, False])
def test_scikit_learn_finds_the_same(fitted):
    """Its objective is half of ours: α = γ/2."""
    rng = np.random.default_rng(0)
    X, prior = rng.normal(size=(80, 20)) + 0.5, rng.normal(size=20)
    y = X[:, :4] @ [3.0, -2.0, 1.0, 0.5] + rng.normal(size=80) + 7
    found = path(X, y, 8, prior=prior, offset=None if fitted else 1.5)
    for gamma, theta, offset in zip(found.gammas, found.thetas, found.offsets, strict=True):
        theirs = Lasso(alpha=gamma / 2, fit_intercept=fitted, tol=1e-14, max_iter=1_000_000)
        theirs.fit(X, y - X @ prior - (0 if fitted else 1.5))
        np.testing.assert_allclose(theta - prior, theirs.coef_, atol=1e-7)
        np.testing.assert_allclose(offset, theirs.intercept_ if fitted else 1.5, atol=1e-7)


@pytest.mark.oracle
def test_scikit_learn_never_gets_lower_on_real_rows(rated):
    X, y, prior, offset = rated
    found = path(X, y, 10, prior=prior, offset=offset)
    _, theirs, _ = lasso_path(X, y - offset - X @ prior, alphas=found.gammas / 2, tol=1e-9, max_iter=100_000)
    for at, gamma in enumerate(found.gammas):
        ours = objective(X, y, found.thetas[at], offset, gamma, prior)
        other = objective(X, y, prior + theirs[:, at], offset, gamma, prior)
        assert ours <= other + 1e-12
        assert ours == pytest.approx(other, abs=1e-6)


@pytest.mark.parametrize("options", [{}, {"offset": None}, {"prior": None}, {"free": np.arange(2 * WIDTH**2) % 25 == 0}])
def test_conditions_of_a_minimum_hold_on_real_rows(rated, options):
    X, y, prior, offset = rated
    options = {"prior": prior, "free": None, "offset": offset} | options
    found = path(X, y, **options)
    assert found.gammas[0] == pytest.approx(largest_gamma(X, y, **options))
    assert found.gammas[-1] == pytest.approx(found.gammas[0] / 1000)
    assert max(violation(X, y, found, at, options) for at in range(len(found.gammas))) < 1e-9
    moved = (found.thetas != (0 if options["prior"] is None else prior)).sum(axis=1)
    assert moved[0] <= 4 < 80 < moved[-1]


def test_more_columns_than_rows(rated):
    X, y, prior, offset = rated
    found = path(X[:40], y[:40], 20, prior=prior, offset=offset)
    options = {"prior": prior, "free": None, "offset": offset}
    assert max(violation(X[:40], y[:40], found, at, options) for at in range(20)) < 1e-9
    assert ((found.thetas != prior).sum(axis=1) <= 40).all()


@given(tasks(), st.lists(st.floats(0, 1), min_size=1, max_size=4))
def test_conditions_of_a_minimum_hold_for_any_rows(task, shares):
    X, y, options = task
    gammas = np.array(shares) * largest_gamma(X, y, **options)
    found = path(X, y, gammas, **options)
    assert found.gammas.tolist() == gammas.tolist()
    assert found.sweeps.shape == found.offsets.shape == gammas.shape
    assert max(violation(X, y, found, at, options) for at in range(len(gammas))) < 1e-7


@given(tasks(), st.floats(1.0001, 10))
def test_from_the_largest_gamma_on_nothing_moves(task, factor):
    X, y, options = task
    largest = largest_gamma(X, y, **options)
    assume(largest > 1e-9)  # below, the free coordinates leave nothing but rounding
    prior = np.zeros(X.shape[1]) if options["prior"] is None else options["prior"]
    held = np.ones(X.shape[1], bool) if options["free"] is None else ~options["free"]
    found = path(X, y, [largest * factor, largest * 0.99], **options)
    assert (found.thetas[0] == prior)[held].all()
    assert (found.thetas[1] != prior)[held].any()


@given(tasks())
def test_without_a_penalty_it_is_least_squares(task):
    X, y, options = task
    found = path(X, y, [0.0], **options)
    if options["offset"] is None:
        rows, target = np.column_stack([X, np.ones(len(X))]), y
    else:
        rows, target = X, y - options["offset"]
    best = rows @ np.linalg.lstsq(rows, target, rcond=None)[0]
    ours = X @ found.thetas[0] + found.offsets[0] - (0 if options["offset"] is None else options["offset"])
    np.testing.assert_allclose(ours, best, atol=1e-6)


@given(tasks(), st.floats(0.01, 1), st.integers(0, 1000))
def test_no_other_parameters_are_better(task, share, seed):
    X, y, options = task
    gamma = share * largest_gamma(X, y, **options)
    found = path(X, y, [gamma], **options)
    rest = {
        "prior": 0.0 if options["prior"] is None else options["prior"],
        "free": False if options["free"] is None else options["free"],
    }
    best = objective(X, y, found.thetas[0], found.offsets[0], gamma, **rest)
    rng = np.random.default_rng(seed)
    for size in (1e-4, 1e-2, 1.0):
        other = found.thetas[0] + size * rng.normal(size=X.shape[1]) * rng.integers(0, 2, X.shape[1])
        shift = size * rng.normal() if options["offset"] is None else 0.0
        assert objective(X, y, other, found.offsets[0] + shift, gamma, **rest) >= best - 1e-9 * (1 + best)


def test_gammas_come_back_in_their_order():
    rng = np.random.default_rng(1)
    X, y = rng.normal(size=(30, 5)), rng.normal(size=30)
    mixed, sorted_ = path(X, y, [0.1, 0.5, 0.0, 0.2]), path(X, y, [0.5, 0.2, 0.1, 0.0])
    np.testing.assert_array_equal(mixed.thetas, sorted_.thetas[[2, 0, 3, 1]])
    assert path(X, y, 1).gammas.tolist() == [largest_gamma(X, y)]
    assert len(path(X, y).gammas) == 50


def test_a_wrong_answer_violates_the_conditions():
    rng = np.random.default_rng(2)
    X, y = rng.normal(size=(30, 5)), rng.normal(size=30)
    theta = path(X, y, [0.1], offset=0.0).thetas[0]
    assert kkt(X, y, theta, 0.0, 0.1) < 1e-9
    assert kkt(X, y, theta, 0.0, 0.2) > 0.05
    assert kkt(X, y, theta + 0.1, 0.0, 0.1) > 0.01
    assert kkt(X, y, theta, 0.0, 0.1, fitted=True) == pytest.approx(2 * abs(np.mean(X @ theta - y)))


def test_bad_input_is_refused_with_a_sentence():
    X, y = np.ones((3, 2)), np.ones(3)
    for error, match, call in (
        (UsageError, "row of features per rating", lambda: path(X, y[:2])),
        (UsageError, "row of features per rating", lambda: path(X[:0], y[:0])),
        (UsageError, "prior has 1 entries for 2", lambda: path(X, y, prior=np.ones(1))),
        (UsageError, "free coordinates has 3 entries", lambda: largest_gamma(X, y, free=np.ones(3, bool))),
        (UsageError, "not negative", lambda: path(X, y, [-1.0])),
        (UsageError, "at least one γ", lambda: path(X, y, 0)),
        (DataError, "1 of 3 rows", lambda: path(X, np.array([1.0, np.nan, 2.0]))),
    ):
        with pytest.raises(error, match=match):
            call()
