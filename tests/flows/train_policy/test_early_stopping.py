"""The rule that ends a learning, on simulated drifts and on healthy runs."""

import numpy as np
import pytest

from dialometer.flows.train_policy.early_stopping import Alarm

USUAL = {
    "return": (25.0, 1.5), "distinct-1": (0.4, 0.02), "distinct-2": (0.88, 0.02), "empty": (0.01, 0.01),
    "repeated": (0.04, 0.02), "universal": (0.02, 0.02), "perplexity": (50.0, 6.0), "words": (12.0, 1.5),
    "other": (2.5, 0.15), "other sd": (0.8, 0.05),
}  # fmt: skip
ALARM = Alarm.of(80, ["other"])


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


def rings(rows):
    """The step at which it first rings, and why."""
    for step in range(1, len(rows) + 1):
        risen, fallen = ALARM(rows[:step])
        if risen and fallen:
            return step, fallen
    return 0, []


@pytest.mark.parametrize("seed", range(20))
def test_a_healthy_run_is_left_alone(seed):
    """The reward rises by half and nothing else moves: limits are more than ten standard errors away."""
    assert rings(records(seed=seed, **{"return": 37.0})) == (0, [])


@pytest.mark.parametrize(
    ("measure", "end"),
    [
        ("distinct-2", 0.2), ("distinct-1", 0.05), ("empty", 0.9), ("repeated", 0.8), ("universal", 0.9), ("perplexity", 200.0),
        ("perplexity", 5.0), ("words", 2.0), ("words", 40.0), ("other", 1.2),
    ],
)  # fmt: skip
@pytest.mark.parametrize("seed", range(3))
def test_a_drift_rings_and_says_what_fell(measure, end, seed):
    rows = records(seed=seed, **{"return": 37.0, measure.replace("-", "_"): end})
    step, fallen = rings(rows)
    assert 20 <= step <= 75
    assert [reason.split()[0] for reason in fallen] == [measure]


@pytest.mark.parametrize("seed", range(5))
def test_falling_without_a_rise_is_not_the_rewards_doing(seed):
    rows = records(seed=seed, distinct_2=0.2, **{"return": 20.0})
    assert rings(rows) == (0, [])
    assert ALARM(rows)[1], "but it is seen: such weights are not sound"


def test_a_policy_that_repeats_its_best_reply():
    """What the paper saw (Deriu and Cieliebak 2019): the return from 21.74 to 37.41, one reply for everything."""
    rows = records(universal=0.95, repeated=0.9, distinct_2=0.02, distinct_1=0.02, perplexity=3.0, **{"return": 37.41})
    step, fallen = rings(rows)
    assert 20 <= step <= 50
    assert {reason.split()[0] for reason in ALARM(rows)[1]} == {
        "distinct-1", "distinct-2", "repeated", "universal", "perplexity"
    }  # fmt: skip
    assert "→" in fallen[0]


def test_before_two_windows_nothing_is_said():
    rows = records(distinct_2=0.0, **{"return": 90.0}, steps=19)
    assert ALARM(rows) == (False, [])


def test_measures_that_are_not_known():
    rows = [{"return": float(step), "distinct-2": np.nan} for step in range(30)]
    assert ALARM(rows) == (True, [])


@pytest.mark.parametrize(("steps", "window"), [(5, 3), (40, 5), (80, 10), (1000, 10)])
def test_windows(steps, window):
    assert Alarm.of(steps).window == window
