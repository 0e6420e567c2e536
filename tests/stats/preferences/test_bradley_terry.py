"""Strengths: closed form for two, the likelihood's maximum by scipy and statsmodels for more, planted ones recovered."""

from itertools import combinations

import numpy as np
import pytest
from scipy import optimize

from dialometer.core.errors import NeedsError, UsageError
from dialometer.stats.preferences.bradley_terry import bradley_terry
from tests.stats.preferences.choices import preferences


def tournament(strengths, items, seed, ties=0.0):
    """Every pair of systems on every item, decided by the model."""
    rng = np.random.default_rng(seed)
    names = [f"s{number}" for number in range(len(strengths))]
    rows = []
    for item in range(items):
        for i, j in combinations(range(len(names)), 2):
            win = rng.random() < 1 / (1 + np.exp(strengths[j] - strengths[i]))
            choice = 0 if rng.random() < ties else 1 if win else -1
            rows.append((f"i{item:04d}", names[i], names[j], "r", choice))
    return preferences(rows, names)


def by_name(found):
    return {row.system: row for row in found.systems}


def test_two_systems_have_a_closed_form():
    """6 wins, 2 losses, 2 ties: 7 to 3, so log π₁ − log π₂ = log(7/3)."""
    rows = [(f"i{n}", "a", "b", "r", choice) for n, choice in enumerate([1] * 6 + [-1] * 2 + [0] * 2)]
    found = by_name(bradley_terry(preferences(rows, ["a", "b"]), resamples=0))
    assert found["a"].strength - found["b"].strength == pytest.approx(np.log(7 / 3), abs=1e-9)
    assert found["a"].strength + found["b"].strength == pytest.approx(0, abs=1e-12)
    assert (found["a"].wins, found["a"].n) == (7, 10)


@pytest.mark.parametrize("prior", [0.0, 0.5, 3.0])
def test_the_maximum_of_the_likelihood(prior):
    made = tournament([1.0, 0.2, -0.3, -0.9], 12, 1, ties=0.2)
    found = by_name(bradley_terry(made, prior=prior, resamples=0))

    def loss(logs):
        gap = logs[made.a] - logs[made.b]
        share = (made.choice + 1) / 2
        likely = share * np.logaddexp(0, -gap) + (1 - share) * np.logaddexp(0, gap)
        ties = prior / 2 * (np.logaddexp(0, -logs) + np.logaddexp(0, logs))
        return likely.sum() + ties.sum()

    best = optimize.minimize(loss, np.zeros(4), method="BFGS", options={"gtol": 1e-9}).x
    best -= best.mean()
    np.testing.assert_allclose([found[f"s{i}"].strength for i in range(4)], best, atol=2e-6)


def test_the_maximum_by_statsmodels():
    import statsmodels.api as sm

    made = tournament([0.8, 0.0, -0.8], 40, 2)
    design = np.zeros((len(made), 3))
    design[np.arange(len(made)), made.a], design[np.arange(len(made)), made.b] = 1, -1
    fit = sm.GLM((made.choice + 1) / 2, design[:, 1:], family=sm.families.Binomial()).fit()
    wanted = np.array([0, *fit.params]) - np.mean([0, *fit.params])
    found = by_name(bradley_terry(made, resamples=0))
    np.testing.assert_allclose([found[f"s{i}"].strength for i in range(3)], wanted, atol=1e-7)


def test_planted_strengths_lie_in_their_intervals():
    """60 tournaments at 95%, one system looked at in each: P(Binomial(60, 0.92) < 43) = 6e-7."""
    planted = np.array([0.9, 0.3, -0.2, -1.0])
    hits = 0
    for seed in range(60):
        name = f"s{seed % 4}"
        row = by_name(bradley_terry(tournament(planted, 40, seed), resamples=200, seed=seed))[name]
        hits += row.low <= planted[seed % 4] <= row.high
    assert hits >= 43


def test_intervals_are_as_wide_as_the_likelihood_says():
    """Fisher's information of the two differences, against 1000 resamples of 300 items: both know the width to some 5%."""
    import statsmodels.api as sm

    made = tournament([0.8, 0.0, -0.8], 300, 4)
    design = np.zeros((len(made), 3))
    design[np.arange(len(made)), made.a], design[np.arange(len(made)), made.b] = 1, -1
    fit = sm.GLM((made.choice + 1) / 2, design[:, 1:], family=sm.families.Binomial()).fit()
    centring = (np.eye(3) - 1 / 3)[:, 1:]
    wanted = 2 * 1.96 * np.sqrt(np.diag(centring @ fit.cov_params() @ centring.T))
    found = by_name(bradley_terry(made))
    np.testing.assert_allclose([found[f"s{i}"].high - found[f"s{i}"].low for i in range(3)], wanted, rtol=0.2)


def test_systems_come_from_the_strongest():
    found = bradley_terry(tournament([-1.0, 1.0, 0.0], 60, 3), resamples=20)
    assert [row.system for row in found.systems] == ["s1", "s2", "s0"]
    assert found.rescued == 0


def test_undefeated_and_disconnected_systems_are_refused_or_held_by_a_prior():
    always = preferences([("i1", "a", "b", "r", 1), ("i2", "a", "b", "r", 1)], ["a", "b"])
    with pytest.raises(NeedsError, match="a never lost") as refused:
        bradley_terry(always)
    assert "prior=0.5" in refused.value.hint
    held = by_name(bradley_terry(always, prior=1.0, resamples=50))
    assert 0 < held["a"].strength < 5
    islands = [
        (f"i{n}", a, b, "r", c)
        for n, (a, b, c) in enumerate([("a", "b", 1), ("a", "b", -1), ("c", "d", 1), ("c", "d", -1)])
    ]
    with pytest.raises(NeedsError, match="never compared"):
        bradley_terry(preferences(islands, list("abcd")))


def test_resamples_without_strengths_of_their_own_are_counted():
    rows = [(f"i{n}", "a", "b", "r", 1 if n else -1) for n in range(6)]
    found = bradley_terry(preferences(rows, ["a", "b"]), resamples=400)
    assert 0.2 < found.rescued < 0.5  # (5/6)⁶ = 0.335 without the only loss
    assert np.isfinite([row.high for row in found.systems]).all()


def test_what_is_not_there_is_refused():
    with pytest.raises(NeedsError, match="no choices"):
        bradley_terry(preferences([], ["a", "b"]))
    with pytest.raises(UsageError):
        bradley_terry(tournament([0, 0], 5, 0), prior=-1)
