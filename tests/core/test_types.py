"""The nouns: frozen, joined by id, and grouped by what they share."""

import dataclasses

import numpy as np
import pytest

from dialometer.core.types import Dialogue, Example, Ratings, Scores, Systems, Turn, context_hash

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


@pytest.mark.parametrize(
    ("speakers", "after"),
    [
        ("ubub", {1: [2], 3: []}),
        ("ubuubu", {1: [2, 3], 4: [5]}),
        ("ubbuu", {1: [2, 3], 2: [3, 4]}),  # at least to the next turn of somebody else
        ("ubb", {1: [2], 2: []}),
        ("uxbuxb", {2: [3, 4], 5: []}),  # three speakers: all others are partners
        ("bub", {2: []}),
    ],
)
def test_what_came_after_a_reply(speakers, after):
    turns = tuple(Turn(speaker, str(place)) for place, speaker in enumerate(speakers))
    made = Dialogue("d", "s", turns, extra={"rated_speaker": "b"}).examples()
    assert {int(e.id[2:]): [int(turn.text) for turn in e.after] for e in made} == after


@pytest.mark.parametrize(
    ("system", "speakers", "rated", "own"),
    [
        ("s", "ubbu", "b", ("b",)),
        ("s", "ubbb", "b", ("b",)),  # one voice to the end: nobody answered
        ("b", "bbb", None, ("b",)),
        ("s", "xabab", "a", ("a",)),  # with a partner
        ("s", "xabab", None, ()),  # with itself: each turn answers the one before
        ("s", "-abab", None, ()),
        ("s", "-ab-ab", None, ("a", "b")),  # two voices, and a user between
        ("s", "____", None, ()),  # speakers without names
        ("s", "-___", None, ()),
        ("s", "-", None, None),
    ],
)
def test_whose_turns_are_the_systems_own(system, speakers, rated, own):
    names = {"-": "user", "_": ""}
    turns = tuple(Turn(names.get(speaker, speaker), "hi") for speaker in speakers)
    made = Dialogue("d", system, turns, extra={"rated_speaker": rated} if rated else {}).examples()
    assert {example.own for example in made} == (set() if own is None else {own})


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


@pytest.mark.parametrize(
    ("system", "speakers", "extra", "expected"),
    [
        ("eliza", ("user", "bot", "user", "bot"), {}, ["d#1", "d#3"]),
        ("eliza", ("user", "Assistant", "user"), {}, ["d#1"]),
        ("eliza", ("user", "eliza", "bot"), {}, ["d#1"]),  # its own name says more than "bot"
        ("eliza", ("a", "b", "a"), {"rated_speaker": "a"}, ["d#2"]),
        ("eliza", ("a", "b", "a"), {}, ["d#1", "d#2"]),  # self-play: both sides are the system
        ("eliza", ("user", "Pat", "user"), {}, ["d#1"]),
        ("eliza", ("user", "user"), {}, []),
        ("human", ("human", "bot", "human"), {}, ["d#2"]),  # a person under evaluation
    ],
)
def test_who_speaks_for_the_system(system, speakers, extra, expected):
    turns = tuple(Turn(speaker, "hi") for speaker in speakers)
    assert [example.id for example in Dialogue("d", system, turns, extra=extra).examples()] == expected


def test_ratings_choose_rows_and_leave_checks_out():
    codes = np.array([0, 1, 1], np.int32)
    nan = np.nan
    ratings = Ratings(
        ("x", "y"), ("ann",), ("fun", "fit"), codes, np.array([0, 0, -1], np.int32), codes,
        np.array([1.0, 2.0, 3.0]), np.full(3, nan), np.array([nan, nan, 0.0]),
    )  # fmt: skip
    assert not ratings.named
    assert ratings.rows(np.array([0])).named
    assert ratings.of("fit").value.tolist() == [2.0]  # the third row is a check


def test_factors_that_every_system_has():
    systems = Systems({"a": {"model": "hred", "ei": "no"}, "b": {"model": "vhred"}})
    assert systems.names == ("model",)
    assert Systems({}).names == ()
