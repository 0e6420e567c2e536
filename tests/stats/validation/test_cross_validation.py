"""Learning with little data and on unseen systems, by a ridge on made-up features."""

import numpy as np
import pytest
from sklearn.linear_model import Ridge
from sklearn.model_selection import KFold, cross_val_predict

from dialometer.core.errors import NeedsError, UsageError
from dialometer.stats.correlation.correlate import pearson
from dialometer.stats.validation.cross_validation import cross_validate, efficiency


def world(n=400, seed=0):
    rng = np.random.default_rng(seed)
    features = rng.normal(size=(n, 20))
    return features, features @ rng.normal(size=20) + 2 * rng.normal(size=n)


def test_more_data_helps_and_the_whole_is_fitted_once():
    features, target = world()
    seen = []

    def fit_predict(rows):
        seen.append(rows)
        return Ridge(1.0).fit(features[rows], target[rows]).predict(features[300:])

    groups = np.repeat(np.arange(100), 3)
    found = efficiency(fit_predict, target[300:], groups, (0.1, 0.5, 1.0), repeats=4)
    assert [share.share for share in found] == [0.1, 0.5, 1.0]
    assert [share.rows for share in found] == [30, 150, 300]
    assert [share.repeats for share in found] == [4, 4, 1]
    assert found[0].pearson < found[1].pearson < found[2].pearson
    assert found[0].pearson_sd > 0
    assert np.isnan(found[2].pearson_sd)
    assert len(seen) == 9
    for small, large in (seen[:2], seen[3:5]):
        assert set(small) < set(large)  # nested
        assert all(set(np.flatnonzero(groups == groups[row])) <= set(small) for row in small)  # whole groups


def test_predictions_that_do_not_vary_are_no_number():
    found = efficiency(lambda rows: np.ones(10), np.arange(10.0), ["a", "b"], (0.5, 1.0), repeats=2)
    assert np.isnan(found[0].pearson)
    assert found[0].repeats == 0


def test_cross_validation_equals_scikit_learn():
    features, target = world(60)
    folds = np.empty(60, int)
    for number, (_, test) in enumerate(KFold(5).split(features)):
        folds[test] = number
    found = cross_validate(
        lambda train, test: Ridge(1.0).fit(features[train], target[train]).predict(features[test]), target, folds
    )
    wanted = cross_val_predict(Ridge(1.0), features, target, cv=KFold(5))
    np.testing.assert_allclose(found.predictions, wanted)
    assert found.pearson == pytest.approx(np.mean([pearson(wanted[folds == f], target[folds == f]) for f in range(5)]))
    assert found.mae == pytest.approx(np.mean(np.abs(wanted - target)))


def test_unrated_rows_are_predicted_and_never_trained_on():
    target = np.arange(12.0)
    target[::4] = np.nan
    trained = []

    def fit_predict(train, test):
        trained.append(train)
        return test.astype(float)

    found = cross_validate(fit_predict, target, np.arange(12) % 3)
    assert not np.isnan(found.predictions).any()
    assert not any(np.isnan(target[rows]).any() for rows in trained)
    assert sum(fold.n for fold in found.folds) == 9


def test_knowing_the_system_helps_only_where_the_system_was_seen():
    """An oracle of system ids wins under a random split; on a system it never saw it has nothing to say."""
    rng = np.random.default_rng(1)
    systems = np.repeat(np.arange(8), 60)
    human = rng.normal(size=8)[systems] + 0.3 * rng.normal(size=480)

    def oracle(train, test):
        means = np.array(
            [human[train][systems[train] == s].mean() if (systems[train] == s).any() else np.nan for s in range(8)]
        )
        return np.where(np.isnan(means[systems[test]]), human[train].mean(), means[systems[test]])

    at_random = cross_validate(oracle, human, rng.permutation(480) % 8)
    by_system = cross_validate(oracle, human, systems)
    assert at_random.pearson > 0.9
    assert np.isnan(by_system.pearson)  # one guess for all of a system's items
    assert pearson(by_system.predictions, human) < 0


def test_bad_shares_are_refused():
    with pytest.raises(UsageError):
        efficiency(lambda rows: rows, np.arange(3.0), ["a"], (0.0,))


def test_one_fold_leaves_nothing_to_train_on():
    with pytest.raises(NeedsError, match="two folds"):
        cross_validate(lambda train, test: test, np.arange(4.0), np.zeros(4))


def test_a_predictor_that_knows_nothing_has_no_correlation_with_a_common_start():
    """The mean of the training rows plus noise, each of five systems left out in turn: the folds' own starts give −0.7 to −0.2.

    With a common start the mean over 100 worlds of 200 rows has standard error 1 / √(100 · 200) = 0.007; 5 of these is a bound
    that is broken less than once in a million.
    """
    own, common = [], []
    for seed in range(100):
        rng = np.random.default_rng(seed)
        systems = np.repeat(np.arange(5), 40)
        human = 3 + np.linspace(-1, 1, 5)[systems] + rng.normal(size=200)
        noise = 0.1 * rng.normal(size=200)
        found = cross_validate(
            lambda train, test, human=human, noise=noise: human[train].mean() + noise[test], human, systems
        )
        own.append(pearson(found.predictions, human))
        common.append(pearson(found.aligned, human))
    assert max(own) < -0.2
    assert abs(np.mean(common)) < 5 / np.sqrt(100 * 200)


def test_a_constant_predictor_has_one_value_with_a_common_start():
    human = np.arange(12.0)
    found = cross_validate(lambda train, test: np.full(len(test), human[train].mean()), human, np.arange(12) // 3)
    assert pearson(found.predictions, human) < -0.9
    assert np.unique(found.aligned).tolist() == [pytest.approx(human.mean())]


def test_the_start_may_be_given():
    human = np.array([1.0, 2.0, 3.0, 4.0])
    found = cross_validate(lambda train, test: human[test] + 10 * test[0], human, np.array([0, 0, 1, 1]),
                            lambda train, test: 10.0 * test[0])  # fmt: skip
    np.testing.assert_allclose(found.aligned, human + 10.0)
