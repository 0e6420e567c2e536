"""Groups turn by turn: what is kept, in which order, and how it is drawn."""

import numpy as np
import pytest

from dialometer.contracts.trajectories import Trajectories
from dialometer.flows.shared.trajectories.groups import LINES, grouped
from dialometer.flows.shared.trajectories.paths import paths
from dialometer.flows.shared.trajectories.replies import Replies
from dialometer.report.blocks import LineChart, Text
from dialometer.report.pages.trajectories import LEAST, OPEN, path_sections


def replies(lengths, **columns):
    """Dialogues of so many replies; columns are functions of dialogue and turn."""
    dialogue = np.repeat(np.arange(len(lengths)), lengths)
    turn = np.concatenate([np.arange(1, length + 1) for length in lengths])
    made = {name: np.array([f(t, k) for t, k in zip(dialogue, turn, strict=True)], float) for name, f in columns.items()}
    return Replies(dialogue, turn, made)


def test_groups_columns_and_counts():
    lengths = [2, 4, 3, 1, 3, 3]
    group = np.array([0, 0, 0, 1, 1, -1])
    own = replies(lengths, same=lambda t, k: t % 3 + k, apart=lambda t, k: 10 * (t > 2) + t % 2, vote=lambda t, k: k % 2)
    found = paths(own, group, ["one", "two"], by="half", notes=["", "mind"])
    assert list(found.columns) == ["vote", "apart", "same"]  # votes first, then what parts the groups most
    assert (found.groups, found.notes) == ({"one": 3, "two": 2}, ["mind"])
    column = found.columns["same"]
    assert column.turns == [1, 2, 3, 4]
    assert (column.groups["one"].n, column.groups["two"].n) == ([3, 3, 2, 1], [2, 1, 1, 0])
    assert column.groups["one"].mean == pytest.approx([2.0, 3.0, 4.5, 5.0])
    assert column.groups["two"].mean[3] is None


def test_pictures_end_where_too_few_are_left_and_the_least_telling_are_folded():
    lengths = [2] * 9 + [6] * LEAST + [8]
    names = {f"c{number}": lambda t, k, number=number: t * number + k for number in range(OPEN + 2)}
    found = paths(replies(lengths, **names), np.zeros(len(lengths), int), ["all"], by="all")
    (section,) = path_sections([found])
    pictures = [block for block in section.blocks if isinstance(block, LineChart)]
    assert [picture.folded for picture in pictures] == [False] * OPEN + [True] * 2
    assert list(pictures[0].x) == [1, 2, 3, 4, 5, 6]
    assert pictures[0].counts == {"all": [15, 15, 6, 6, 6, 6]}
    assert found.columns["c1"].turns[-1] == 8  # what is not drawn is kept


def test_a_small_group_is_drawn_as_long_as_it_is_whole():
    (section,) = path_sections([paths(replies([3, 2], x=lambda t, k: k), np.array([0, 0]), ["both"], by="all")])
    assert list(section.blocks[-1].x) == [1, 2]


def test_a_grouping_that_tells_nothing_says_so():
    (section,) = path_sections([Trajectories(by="q", groups={}, columns={}, notes=["Too many are alike."])])
    assert section.blocks == [Text(["Too many are alike."])]
    assert path_sections([]) == []


def test_more_groups_than_a_picture_holds_are_named():
    labels = [f"s{number}" for number in range(LINES + 2)]
    group, names, note = grouped(labels, "s7")
    assert names == ["s7", "s0", "s1", "s2", "s3", "s4"]
    assert group.tolist() == [1, 2, 3, 4, 5, -1, -1, 0]
    assert note == "6 lines fill a picture; not drawn: s5, s6."


def test_what_is_the_same_in_every_reply_is_named_and_not_drawn():
    own = replies([3, 2, 3], flat=lambda t, k: 0.5, steps=lambda t, k: k, of_others=lambda t, k: 1 + (t == 2))
    found = paths(own, np.array([0, 0, -1]), ["both"], by="all", notes=["mind"])
    assert list(found.columns) == ["steps"]  # the last differs only in a dialogue of neither
    assert found.notes == ["mind", "The same in every reply, and not drawn: flat, of_others."]


def test_a_group_that_has_its_number_in_its_name_is_not_counted_again():
    own = replies([3] * 4, x=lambda t, k: t + k)
    (section,) = path_sections([paths(own, np.array([0, 0, 1, 1]), ["2 highest in fun", "s1"], by="all")])
    assert section.blocks[0] == Text(["Dialogues: 2 highest in fun, s1: 2."])
