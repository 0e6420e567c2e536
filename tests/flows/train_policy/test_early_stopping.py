"""Early stopping on simulated drifts and on healthy runs."""

import numpy as np
import pytest

from dialometer.flows.train_policy.early_stopping import EarlyStopping

USUAL = {
    "return": (25.0, 1.5), "distinct-1": (0.4, 0.02), "distinct-2": (0.88, 0.02), "empty": (0.01, 0.01),
    "repeated": (0.04, 0.02), "universal": (0.02, 0.02), "perplexity": (50.0, 6.0), "words": (12.0, 1.5),
    "other": (2.5, 0.15), "other sd": (0.8, 0.05),
}  # fmt: skip
RULE = EarlyStopping.of(80, ["other"])


def records(steps=80, seed=0, **ends):
    """Noisy measures around their usual values; those that are named go to another value, evenly."""
    rng = np.random.default_rng(seed)
    rows = []
    for step in range(steps):
        way = step / (steps - 1)
        rows.append(
            {
                name: (1 - way) * mean + way * ends.get(name.replace("-", "_"), mean) + rng.normal(0, sd)
                for name, (mean, sd) in USUAL.items()
            }
        )
    return rows


def stops(rows):
    """The step at which the rule is first met, and why."""
    for step in range(1, len(rows) + 1):
        risen, degraded = RULE(rows[:step])
        if risen and degraded:
            return step, degraded
    return 0, []


@pytest.mark.parametrize("seed", range(20))
def test_a_healthy_run_is_left_alone(seed):
    """The reward rises by half and nothing else moves: limits are more than ten standard errors away."""
    assert stops(records(seed=seed, **{"return": 37.0})) == (0, [])


@pytest.mark.parametrize(
    ("measure", "end"),
    [
        ("distinct-2", 0.2), ("distinct-1", 0.05), ("empty", 0.9), ("repeated", 0.8), ("universal", 0.9), ("perplexity", 200.0),
        ("perplexity", 5.0), ("words", 2.0), ("words", 40.0), ("other", 1.2),
    ],
)  # fmt: skip
@pytest.mark.parametrize("seed", range(3))
def test_a_drift_stops_and_names_what_degraded(measure, end, seed):
    rows = records(seed=seed, **{"return": 37.0, measure.replace("-", "_"): end})
    step, degraded = stops(rows)
    assert 20 <= step <= 75
    assert [reason.split()[0] for reason in degraded] == [measure]


@pytest.mark.parametrize("seed", range(5))
def test_falling_without_a_rise_is_not_the_rewards_doing(seed):
    rows = records(seed=seed, distinct_2=0.2, **{"return": 20.0})
    assert stops(rows) == (0, [])
    assert RULE(rows)[1], "but it is seen: such weights are not sound"


def test_a_policy_that_repeats_its_best_reply():
    """What the paper saw (Deriu and Cieliebak 2019): the return from 21.74 to 37.41, one reply for everything."""
    rows = records(universal=0.95, repeated=0.9, distinct_2=0.02, distinct_1=0.02, perplexity=3.0, **{"return": 37.41})
    step, degraded = stops(rows)
    assert 20 <= step <= 50
    assert {reason.split()[0] for reason in RULE(rows)[1]} == {
        "distinct-1", "distinct-2", "repeated", "universal", "perplexity"
    }  # fmt: skip
    assert "→" in degraded[0]


def test_before_two_windows_nothing_is_said():
    rows = records(distinct_2=0.0, **{"return": 90.0}, steps=19)
    assert RULE(rows) == (False, [])


def test_measures_that_are_not_known():
    rows = [{"return": float(step), "distinct-2": np.nan} for step in range(30)]
    assert RULE(rows) == (True, [])


@pytest.mark.parametrize(("steps", "window"), [(5, 3), (40, 5), (80, 10), (1000, 10)])
def test_windows(steps, window):
    assert EarlyStopping.of(steps).window == window
