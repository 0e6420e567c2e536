"""Replies in order, with votes; whole dialogues' columns are no trajectories."""

import numpy as np

from dialometer.core.types import Dialogue, Example, Turn
from dialometer.flows.shared.trajectories.replies import replies_of

NAN = float("nan")
TALKS = [
    Dialogue(
        "d#1", "bot", (Turn("user", "hi"), Turn("bot", "a", 1), Turn("user", "so"), Turn("bot", "b", "0"), Turn("bot", "c"))
    ),
    Example("e", (), "alone"),
    Dialogue("d2", "bot", (Turn("bot", "first", 1), Turn("user", "hm", 1), Turn("bot", "d", "good"))),
]
IDS = ["d#1#4", "e", "d#1#1", "d2#2", "d#1#3", "stranger#7"]


def test_replies_are_counted_within_their_dialogue():
    found = replies_of(TALKS, IDS, {"x": np.arange(6.0)})
    assert found.dialogue.tolist() == [0, 0, 2, 0, 2]
    assert found.turn.tolist() == [3, 1, 1, 2, 0]
    np.testing.assert_array_equal(found.columns["x"], [0.0, 2.0, 3.0, 4.0, NAN])


def test_votes_are_a_column_and_words_are_no_votes():
    """The vote on an opening turn stands at 0; that on a user's turn is not about the system."""
    found = replies_of(TALKS, IDS, {})
    np.testing.assert_array_equal(found.columns["vote"], [NAN, 1.0, NAN, 0.0, 1.0])


def test_a_number_of_the_whole_dialogue_is_no_trajectory():
    last = np.array([5.0, NAN, NAN, 7.0, NAN, NAN])
    assert set(replies_of(TALKS, IDS, {"whole": last, "none": np.full(6, NAN)}).columns) == {"vote"}


def test_no_dialogue_at_all():
    found = replies_of([TALKS[1]], ["e"], {"x": np.ones(1)})
    assert (len(found.dialogue), found.columns) == (0, {})
