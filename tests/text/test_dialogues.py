"""Which replies make a conversation, in which order, and where the score of a conversation stands."""

from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np
import pytest

from dialometer.core.errors import SpecError
from dialometer.core.types import Dialogue, Example, Turn
from dialometer.text.corpus import Corpus
from dialometer.text.dialogues import conversation_means, conversation_systems, conversations, measure_replies


def talk(name, speakers="ubub", system="s", group=""):
    turns = tuple(Turn(speaker, f"{name} {place}") for place, speaker in enumerate(speakers))
    return list(Dialogue(name, system, turns, group, extra={"rated_speaker": "b"}).examples())


def found(*replies):
    return conversations(Corpus.build([reply for some in replies for reply in some]))


@dataclass(frozen=True)
class Counted:
    """Replies per document."""

    unit: ClassVar[str] = "dialogue"
    name: ClassVar[str] = "counted"
    lost: int = 0

    def measure(self, corpus):
        codes = corpus.document_codes(np.arange(len(corpus)))
        return np.bincount(codes).astype(float)[self.lost :, None]


def test_replies_of_one_dialogue():
    made = found(talk("d", "ububub"), talk("e"))
    assert made.code.tolist() == [0, 0, 0, 1, 1]
    assert (made.rows.tolist(), made.starts.tolist(), made.last.tolist()) == ([0, 1, 2, 3, 4], [0, 3, 5], [2, 4])
    assert (len(made), made.counts().tolist(), made.ordered.all(), made.alone.any()) == (2, [3, 2], True, False)


def test_order_comes_from_contexts():
    one, two = talk("d", "ububub"), talk("e")
    made = found([two[1], one[2], one[0], two[0], one[1]])
    assert made.code.tolist() == [0, 1, 1, 0, 1]
    assert [made.rows[a:b].tolist() for a, b in zip(made.starts, made.starts[1:], strict=False)] == [[3, 0], [2, 4, 1]]
    assert made.last.tolist() == [0, 1]


def test_a_group_may_hold_several_conversations():
    made = found(talk("d", group="opener"), talk("e", group="opener"), talk("f", system="t", group="opener"))
    assert made.code.tolist() == [0, 0, 1, 1, 2, 2]
    bare = [Example(str(k), (Turn("u", "hi"),) * k, "yes", system="s", group="g") for k in (1, 2)]
    assert found(bare).code.tolist() == [0, 0], (
        "replies with names of their own, and a group that says they belong together"
    )
    assert found([replace(bare[0], group=""), replace(bare[1], group="")]).code.tolist() == [0, 1]


def test_who_talks_with_itself():
    made = found(talk("d", "ubbb"), talk("e", "ubbub"), talk("f", "ub"), talk("g", "ubub"), talk("h", "bbb"))
    assert made.alone.tolist() == [False] * 5, "a bot that speaks twice in a row does not answer itself"
    sides = tuple(Turn(speaker, speaker) for speaker in ("user", "a", "b", "a"))
    mirror, nameless = Dialogue("m", "s", sides), Dialogue("n", "s", tuple(Turn("", "x") for _ in sides))
    meant = Dialogue("p", "s", sides, extra={"rated_speaker": "a"})
    between = Dialogue("q", "s", (*sides[:3], sides[0]))
    assert found(*(list(one.examples()) for one in (mirror, nameless, meant, between))).alone.tolist() == [
        True, True, False, False,
    ]  # fmt: skip
    unknown = [replace(reply, own=()) for reply in talk("d", "ubbb")]
    assert found(unknown).alone.tolist() == [True], "nobody knows who spoke: each answers the one before"


def test_answers_to_one_context_are_not_in_order():
    one = talk("d", "ub")[0]
    assert found([one, replace(one, id="d#1b")]).ordered.tolist() == [False]


def test_nothing():
    made = conversations(Corpus.build([]))
    assert (len(made), made.last.tolist()) == (0, [])
    assert conversations(Corpus.of(["a", "b"])).last.tolist() == [0, 1]


def test_means_and_systems_of_conversations():
    values = np.array([[1.0, np.nan], [3.0, 2.0], [5.0, np.nan]])
    np.testing.assert_array_equal(conversation_means(values, np.array([0, 0, 1])), [[2, 2], [5, np.nan]])
    np.testing.assert_array_equal(conversation_means(values[:, 1], np.array([0, 0, 1])), [2, np.nan])
    assert conversation_means(np.zeros((0, 3)), np.zeros(0, np.int64)).shape == (0, 3)
    corpus = Corpus.build([*talk("d", system="x"), *talk("e", system="y")])
    assert conversation_systems(corpus) == ["x", "y"]


def test_the_score_of_a_dialogue_stands_at_its_last_reply():
    corpus = Corpus.build([*talk("d", "ububub", group="opener"), *talk("e", group="opener")])
    assert measure_replies(Counted(), corpus).tolist() == [[0], [0], [3], [0], [2]]
    with pytest.raises(SpecError, match="counted gave 1 rows for 2 dialogues"):
        measure_replies(Counted(lost=1), corpus)
