"""Wins, losses and ties: a published row rebuilt from its counts, ambiguous items, order of showing, intervals."""

import numpy as np
import pytest

from dialometer.stats.preferences.wins import wins
from tests.stats.preferences.choices import preferences


def published():
    """VHCR-EI against its baseline on Reddit, quality (Ghandeharioun et al. 2019, tables 4 and A.3).

    33.7, 27.3 and 39.0% are 101, 82 and 117 of 300 judgements, the only counts of 300 that round so; 9 of the 100 items are
    ambiguous. Which items the votes fell on is not published: here raters agree as far as those numbers let them.
    """
    votes = [(1, -1, 0)] * 9 + [(1, 1, 1)] * 30 + [(-1, -1, -1)] * 24 + [(0, 0, 0)] * 36 + [(1, 1, -1)]
    return [
        (f"i{item:03d}", "VHCR-EI", "VHCR", f"r{rater}", choice)
        for item, own in enumerate(votes)
        for rater, choice in enumerate(own)
    ]


def test_a_published_row():
    (found,) = wins(preferences(published(), ["VHCR-EI", "VHCR"]))
    shares = [part.share for part in (found.every.win, found.every.loss, found.every.tie)]
    assert [round(100 * share, 1) for share in shares] == [33.7, 27.3, 39.0]
    assert (found.every.judgements, found.every.items, found.ambiguous) == (300, 100, 9)
    assert (found.clear.judgements, found.clear.items) == (273, 91)
    assert found.clear.win.share == pytest.approx(92 / 273)
    assert found.every.win.low < found.every.win.share < found.every.win.high


def test_the_order_of_showing_and_of_systems_turns_nothing_around():
    rows = [(i, b, a, r, -choice) if number % 2 else (i, a, b, r, choice)
            for number, (i, a, b, r, choice) in enumerate(published())]  # fmt: skip
    (plain,) = wins(preferences(published(), ["VHCR-EI", "VHCR"]))
    (mixed,) = wins(preferences(rows, ["VHCR-EI", "VHCR"]))
    assert mixed == plain
    (turned,) = wins(preferences(rows, ["VHCR", "VHCR-EI"]))
    assert (turned.a, turned.b) == ("VHCR", "VHCR-EI")
    assert turned.every.win.share == plain.every.loss.share


def test_pairs_and_qualities_are_kept_apart():
    rows = [
        ("i1", "a", "b", "r", 1, "quality"), ("i1", "a", "b", "r", -1, "empathy"), ("i2", "c", "a", "r", 1, "quality"),
    ]  # fmt: skip
    found = wins(preferences(rows, ["a", "b", "c"]))
    assert [(w.quality, w.a, w.b, w.every.win.share) for w in found] == [
        ("empathy", "a", "b", 0), ("quality", "a", "b", 1), ("quality", "a", "c", 0)
    ]  # fmt: skip
    assert np.isnan(found[0].every.win.low)  # one item tells nothing of the spread


def test_intervals_resample_items_not_judgements():
    """50 items on which all 8 raters agree: the 90% interval of a share of ½ is ±1.645 √(¼/50) = ±0.116, not ±0.041."""
    rows = [(f"i{item:02d}", "a", "b", f"r{rater}", 1 if item % 2 else -1) for item in range(50) for rater in range(8)]
    (found,) = wins(preferences(rows, ["a", "b"]), resamples=4000)
    assert (found.every.win.high - found.every.win.low) / 2 == pytest.approx(0.116, rel=0.15)


def test_only_ambiguous_items_leave_nothing_clear():
    rows = [("i1", "a", "b", "r1", 1), ("i1", "a", "b", "r2", -1)]
    (found,) = wins(preferences(rows, ["a", "b"]))
    assert found.ambiguous == 1
    assert found.clear.judgements == 0
    assert np.isnan(found.clear.win.share)


def test_no_choices_no_pairs():
    assert wins(preferences([], ["a", "b"])) == []
