"""The paper's training: Adam as torch has it, early stopping, and the same predictions as the exact solver once it rests."""

import numpy as np
import pytest

from dialometer.core.errors import UsageError
from dialometer.judges._solvers.lasso import kkt, largest_gamma, path
from dialometer.judges._solvers.proximal import GAMMA, converge, train
from tests.judges._solvers.test_lasso import _rated


@pytest.fixture(scope="module")
def rated(shared_data):
    return _rated(shared_data("turns/zhao_dailydialog.jsonl.gz"))


def made(n=60, width=5, seed=0):
    """Rows whose ratings hang on two of the features."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, width))
    return X, 3 + X[:, 0] - 0.5 * X[:, 1] + 0.3 * rng.normal(size=n)


@pytest.mark.parametrize("gamma", [GAMMA, 0.002, 0.0002])
@pytest.mark.parametrize("fixed", [True, False])
def test_both_solvers_agree_on_real_ratings(rated, gamma, fixed):
    X, y, prior, offset = rated
    options = {"prior": prior, "offset": offset if fixed else None}
    exact, small = path(X, y, [gamma], **options), converge(X, y, gamma=gamma, **options)
    assert gamma < largest_gamma(X, y, **options)
    ours = X @ small.theta + small.offset
    assert np.abs(ours - (X @ exact.thetas[0] + exact.offsets[0])).max() < 1e-3
    np.testing.assert_array_equal(small.theta != prior, exact.thetas[0] != prior)
    assert kkt(X, y, small.theta, small.offset, gamma, prior=prior, fitted=not fixed) < 1e-4
    assert np.diff(small.curve.training[5:]).max() <= 0


def test_free_coordinates_agree_too(rated):
    X, y, prior, offset = rated
    options = {"prior": prior, "offset": offset, "free": np.arange(len(prior)) % 10 == 3}
    exact, small = path(X, y, [GAMMA], **options), converge(X, y, gamma=GAMMA, **options)
    assert np.abs(X @ (small.theta - exact.thetas[0])).max() < 1e-3


@pytest.mark.oracle
@pytest.mark.parametrize("offset", [None, 2.5])
def test_without_a_penalty_the_steps_are_those_of_torch(offset):
    import torch

    X, y = made()
    found = train(X, y, gamma=0.0, prior=np.ones(5), offset=offset, batch=60, epochs=25, rate=0.05)
    theta = torch.ones(5, dtype=torch.float64, requires_grad=True)
    shift = torch.tensor(np.mean(y - X.sum(axis=1)) if offset is None else offset, requires_grad=offset is None)
    adam = torch.optim.Adam([theta, shift] if offset is None else [theta], lr=0.05)
    rows, ratings = torch.tensor(X), torch.tensor(y)
    for _ in range(25):
        adam.zero_grad()
        (rows @ theta + shift - ratings).square().mean().backward()
        adam.step()
    np.testing.assert_allclose(found.theta, theta.detach().numpy(), atol=1e-10)
    assert found.offset == pytest.approx(float(shift.detach()), abs=1e-7)  # its first gradient is rounding


def test_the_best_epoch_on_the_validation_part_is_kept(rated):
    X, y, prior, offset = rated
    half = len(y) // 2
    found = train(X[:half], y[:half], prior=prior, offset=offset, gamma=0.001, validation=(X[half:], y[half:]), patience=4)
    curve, said = found.curve, X[half:] @ found.theta + found.offset
    assert found.best == np.argmin(curve.validation)
    assert len(curve.training) == len(curve.validation) == len(curve.pearson) == found.best + 4 + 1
    assert curve.validation[found.best] == pytest.approx(np.mean((said - y[half:]) ** 2))
    assert curve.pearson[found.best] == pytest.approx(np.corrcoef(said, y[half:])[0, 1])
    first = X[:half] @ prior + offset
    assert curve.training[0] == pytest.approx(np.mean((first - y[:half]) ** 2))
    assert curve.training[found.best] < curve.training[0]


def test_without_a_validation_part_all_epochs_are_done():
    X, y = made()
    found = train(X, y, epochs=30, rate=0.05)
    assert found.best == 30
    assert len(found.curve.training) == 31
    assert np.isnan(found.curve.validation).all()
    assert np.isnan(found.curve.pearson).all()
    assert found.curve.training[-1] < 0.5 * found.curve.training[0]


def test_what_belongs_at_the_prior_stays_there():
    X, y = made()
    prior = np.array([0.0, 0.0, 1.0, 1.0, 1.0])
    found = train(X, y, gamma=50.0, prior=prior, epochs=5)
    np.testing.assert_array_equal(found.theta, prior)


def test_the_seed_decides_everything():
    X, y = made()
    one, same, other = (train(X, y, epochs=3, seed=seed) for seed in (1, 1, 2))
    np.testing.assert_array_equal(one.theta, same.theta)
    np.testing.assert_array_equal(one.curve.training, same.curve.training)
    assert not np.array_equal(one.theta, other.theta)
    np.testing.assert_array_equal(converge(X, y, seed=3).theta, converge(X, y, seed=3).theta)


def test_progress_is_told_and_the_rows_stay_as_they_were():
    X, y = made()
    before, told = (X.copy(), y.copy()), []
    train(X, y, epochs=3, progress=lambda *told_now: told.append(told_now))
    assert told == [("training", 1, 3), ("training", 2, 3), ("training", 3, 3)]
    np.testing.assert_array_equal(X, before[0])
    np.testing.assert_array_equal(y, before[1])


def test_a_constant_validation_part_has_no_correlation():
    X, y = made()
    found = train(X, y, epochs=2, validation=(X[:4], np.full(4, 3.0)))
    assert np.isnan(found.curve.pearson).all()
    assert np.isfinite(found.curve.validation).all()


def test_bad_input_is_refused_with_a_sentence():
    X, y = made()
    for match, options in (
        ("not negative", {"gamma": -1.0}),
        ("learning rate", {"rate": 0.0}),
        ("counted from 1", {"batch": 0}),
        ("entries for 5", {"prior": np.ones(3)}),
        ("row of features", {"validation": (X, y[:3])}),
    ):
        with pytest.raises(UsageError, match=match):
            train(X, y, **options)
