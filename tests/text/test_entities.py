"""Names and numbers, in real chat spelling."""

import pytest

from dialometer.text.entities import entities, misnames


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("we deliver to Ireland and serbia", {"place": {"ireland", "serbia"}}),
        ("See you on Monday at 10:30 .", {"time": {"monday"}, "number": {"10:30"}}),
        ("I think I met Anna. Then they left", {"name": {"anna"}}),
        ("I saw Bob. He left with Carl", {"name": {"bob", "carl"}}),
        ("one of us ate two cakes", {"number": {"2"}}),
        ("seventy , Eighty or ninety of a hundred", {"number": {"70", "80", "90", "100"}}),
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
        ("it costs 3,000", ["it costs 3000"], False),
        ("at 3:00", ["at 3"], False),
        ("in the uk", ["in Britain"], False),
        ("to the usa", ["to the uk"], True),
        ("it costs 90", ["about ninety euros"], False),
        ("it costs eighty", ["about ninety euros"], True),
    ],
)
def test_misnaming(response, others, wrong):
    assert misnames(entities(response), *map(entities, others)) is wrong
