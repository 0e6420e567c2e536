"""Means by turn against plain loops and scipy's t: conversations of different length, one alone, two values at a turn."""

import math

import numpy as np
import pytest
from scipy import stats

from dialometer.core.errors import UsageError
from dialometer.stats.trajectory import parting, trajectory


def rows(talks):
    """Dialogue, turn and value rows of conversations given as lists of values."""
    flat = [(d, t, v) for d, values in enumerate(talks) for t, v in enumerate(values, 1)]
    return tuple(np.array(part) for part in zip(*flat, strict=True))


def by_hand(talks, group, number, turn, level=0.9):
    """n, mean, low, high by a loop over the conversations that have a number at a turn."""
    seen = [talk[turn - 1] for talk, own in zip(talks, group, strict=True) if own == number and len(talk) >= turn]
    seen = [value for value in seen if not math.isnan(value)]
    if not seen:
        return 0, math.nan, math.nan, math.nan
    mean = sum(seen) / len(seen)
    if len(seen) < 2:
        return 1, mean, math.nan, math.nan
    low, high = stats.t.interval(level, len(seen) - 1, mean, stats.sem(seen))
    return len(seen), mean, low, high


def test_conversations_of_different_length_are_missing_past_their_end():
    rng = np.random.default_rng(3)
    talks = [rng.normal(size=size).tolist() for size in (1, 2, 5, 5, 3, 7, 4)]
    talks[3][1] = math.nan
    group = [0, 0, 0, 1, 1, 1, -1]
    dialogue, turn, value = rows(talks)
    found = trajectory(dialogue, turn, value, np.array(group)[dialogue])
    assert found.turns.tolist() == [1, 2, 3, 4, 5, 6, 7]
    for number in (0, 1):
        for place, at in enumerate(found.turns.tolist()):
            own = (found.n, found.mean, found.low, found.high)
            assert [float(part[number, place]) for part in own] == pytest.approx(
                by_hand(talks, group, number, at), nan_ok=True
            )
    assert found.n[0].tolist() == [3, 2, 1, 1, 1, 0, 0]  # not zeros in a mean: nobody is there
    assert np.isnan(found.mean[0, 5:]).all()
    assert np.isnan(found.low[0, 2:]).all()  # one conversation has no spread


def test_order_and_names_of_conversations_do_not_matter():
    dialogue, turn, value = rows([[1.0, 4.0], [2.0, 3.0, 9.0], [5.0]])
    group, mix = np.array([0, 0, 1])[dialogue], np.random.default_rng(0).permutation(len(value))
    one = trajectory(dialogue, turn, value, group)
    two = trajectory(np.array(["x", "b", "q"])[dialogue][mix], turn[mix], value[mix], group[mix])
    for name in ("turns", "n", "mean", "low", "high"):
        np.testing.assert_allclose(getattr(one, name), getattr(two, name), rtol=1e-12)


def test_a_conversation_counts_once_at_a_turn():
    found = trajectory(np.array([0, 0, 1]), np.array([1, 1, 1]), np.array([1.0, 3.0, 8.0]), np.zeros(3, int))
    assert (found.n.tolist(), found.mean.tolist()) == ([[2]], [[5.0]])


def test_nothing_at_all():
    none = np.zeros(0)
    found = trajectory(none, none, none, none, groups=2)
    assert found.mean.shape == (2, 0)
    assert trajectory(np.arange(2), np.ones(2), np.full(2, np.nan), np.zeros(2)).turns.size == 0
    assert math.isnan(parting(none, none, none))
    with pytest.raises(UsageError, match="between 0 and 1"):
        trajectory(none, none, none, none, level=1.0)


def test_the_band_covers_the_mean_as_often_as_it_says():
    """2,000 groups of six conversations: 90% of the bands hold the mean; 5 standard errors are 3.4%."""
    rng = np.random.default_rng(1)
    value = rng.normal(size=12_000)
    found = trajectory(np.arange(12_000), np.ones(12_000, int), value, np.arange(12_000) // 6)
    assert abs(((found.low < 0) & (found.high > 0)).mean() - 0.9) < 0.034


def test_parting_is_the_share_between_groups():
    rng = np.random.default_rng(2)
    talks = [rng.normal(loc=number // 5, size=3) for number in range(15)]
    dialogue, _, value = rows(talks)
    group = dialogue // 5
    means = np.array([talk.mean() for talk in talks]).reshape(3, 5)
    between, whole = 5 * ((means.mean(1) - means.mean()) ** 2).sum(), ((means - means.mean()) ** 2).sum()
    assert parting(dialogue, value, group) == pytest.approx(between / whole)
    f = stats.f_oneway(*means).statistic  # η² = 2F / (2F + 12) with 2 and 12 degrees of freedom
    assert parting(dialogue, value, group) == pytest.approx(2 * f / (2 * f + 12))
    assert math.isnan(parting(dialogue, np.ones(len(value)), group))
    assert math.isnan(parting(dialogue, value, np.zeros(len(value), int)))
