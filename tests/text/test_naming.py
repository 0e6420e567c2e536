"""Yes and no, names and numbers, in real chat spelling."""

import pytest

from dialometer.text.entities import entities, misnames
from dialometer.text.polarity import contradicts, polarity


@pytest.mark.parametrize(
    ("text", "sign"),
    [
        ("yes", 1),
        ("Yeah, sure!", 1),
        ("no", -1),
        ("I don't know.", -1),
        ("i do n't know", -1),
        ("I dont think so", -1),
        ("we can’t", -1),
        ("unfortunately we are closed", -1),
        ("no problem , yes", -1),
        ("it is knotty", 0),
        ("", 0),
        ("👍", 0),
    ],
)
def test_polarity(text, sign):
    assert polarity(text) == sign


def test_only_opposite_signs_contradict():
    assert [contradicts(a, b) for a, b in ((1, -1), (-1, 1), (1, 1), (0, -1), (1, 0))] == [True, True, False, False, False]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("we deliver to Ireland and serbia", {"place": {"ireland", "serbia"}}),
        ("See you on Monday at 10:30 .", {"time": {"monday"}, "number": {"10:30"}}),
        ("I think I met Anna. Then they left", {"name": {"anna"}}),
        ("I saw Bob. He left with Carl", {"name": {"bob", "carl"}}),
        ("one of us ate two cakes", {"number": {"2"}}),
        ("WHY ARE YOU SHOUTING", {}),
        ("march on , you may", {}),
        ("", {}),
    ],
)
def test_entities(text, found):
    assert {kind: set(words) for kind, words in entities(text).items()} == found


@pytest.mark.parametrize(
    ("response", "others", "wrong"),
    [
        ("to ireland", ["to serbia"], True),
        ("to serbia and ireland", ["to serbia"], False),
        ("to ireland", ["we deliver"], False),
        ("to ireland", ["we deliver", "do you deliver to ireland ?"], False),
        ("at 9", ["at nine o'clock"], False),
        ("at 9", ["at ten"], True),
    ],
)
def test_misnaming(response, others, wrong):
    assert misnames(entities(response), *map(entities, others)) is wrong
