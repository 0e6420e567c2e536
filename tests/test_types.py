"""The nouns: frozen, joined by id, and grouped by what they share."""

import dataclasses

import numpy as np
import pytest

from dialometer.types import Dialogue, Example, Scores, Turn, context_hash

TURNS = (Turn("u", "hi"), Turn("b", "hello"), Turn("u", "bye"))


@pytest.mark.parametrize("thing", [TURNS[0], Example("1", (), "hi"), Dialogue("d", "s", TURNS), Scores((), {}, {})])
def test_frozen(thing):
    field = dataclasses.fields(thing)[0].name
    with pytest.raises(dataclasses.FrozenInstanceError):
        setattr(thing, field, "other")


def test_one_example_per_reply():
    made = list(Dialogue("d", "s", TURNS).examples())
    assert [(e.id, e.response, e.system, e.group) for e in made] == [("d#1", "hello", "s", "d"), ("d#2", "bye", "s", "d")]
    assert made[1].context == TURNS[:2]
    assert made[1].context[0] is TURNS[0]  # contexts share turns
    assert [e.group for e in Dialogue("d", "s", TURNS, group="g").examples()] == ["g", "g"]
    assert list(Dialogue("d", "s", TURNS[:1]).examples()) == []


def test_what_an_example_shares():
    assert Example("1", TURNS, "x", group="g").document == "g"
    assert Example("1", TURNS, "x").document == Example("2", TURNS, "y").document
    assert Example("1", TURNS, "x").document != Example("1", TURNS[:2], "x").document
    assert Example("1", (), "x").document == "item:1"  # no context is nothing in common
    assert Example("1", (), "x").document != Example("2", (), "x").document


def test_context_hash_knows_where_turns_end():
    assert context_hash((Turn("", "ab"), Turn("", "c"))) != context_hash((Turn("", "a"), Turn("", "bc")))
    assert context_hash((Turn("u", "a"),)) == context_hash((Turn("v", "a"),))  # texts only
    assert context_hash((Turn("", "\ud800"),))  # half a surrogate pair, as files in the wild have it
    assert context_hash((Turn("", "hi"),)) == "67f2b53aa5c4b3d4"  # stable: run ids and folds rest on it


def test_a_mean_says_what_it_rests_on():
    scores = Scores(("a", "b", "c"), {"x": np.array([1.0, np.nan, 2.0]), "y": np.full(3, np.nan)}, {})
    assert scores.mean("x") == (1.5, 2)
    value, count = scores.mean("y")
    assert np.isnan(value)
    assert count == 0
