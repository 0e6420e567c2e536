"""Recorded replies: what followed the same turns, wherever they occur."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dialometer.bots._shared.ask import ask
from dialometer.bots.human import Human
from dialometer.core.artifacts import save_artifact
from dialometer.core.errors import BotError, DataError, MissingResource, NeedsError, PartlyFailed, SpecError
from dialometer.core.registry import create
from dialometer.core.types import Turn
from dialometer.data import open_items

TALKS = [
    ["Tea ?", "Yes .", "Milk ?", "No ."],
    ["Hi .", "Tea ?", "No .", "Why ?"],
    ["Coffee ?", "Yes .", "Sugar ?"],
    ["Tea ?"],
]
BOT = Human().fit(TALKS)


def said(*texts):
    return tuple(Turn("ab"[i % 2], text) for i, text in enumerate(texts))


def all_replies(*texts):
    """Every different reply, sorted."""
    return sorted(set(BOT.reply([said(*texts)], n=20)[0]))


@pytest.mark.parametrize(
    ("context", "replies"),
    [
        (["Tea ?", "Yes .", "Milk ?"], ["No ."]),
        (["Tea ?"], ["No .", "Yes ."]),
        (["Yes ."], ["Milk ?", "Sugar ?"]),
        (["Coffee ?", "Yes ."], ["Sugar ?"]),
        (["tea", "YES!!"], ["Milk ?"]),
        ([], ["Coffee ?", "Hi .", "Tea ?"]),
    ],
)
def test_what_followed_by_hand(context, replies):
    assert all_replies(*context) == replies


@pytest.mark.parametrize(
    "context",
    [
        ["Beer ?"],
        ["Milk ?", "Yes ."],
        ["Sugar ?"],
        ["No .", "Hi ."],
        ["Hi .", "Tea ?", "Yes ."],
        ["x", *TALKS[0][:3]],
        [""],
    ],
)
def test_a_context_that_nobody_had_is_told(context):
    with pytest.raises(PartlyFailed, match="human has no recorded reply to") as error:
        BOT.reply([said(*context)])
    assert "dialometer train human" in error.value.hint


def test_one_unknown_context_costs_itself_alone():
    answers = ask(BOT, [said("Coffee ?"), said("Beer ?"), said("Hi .")])
    assert [answer.replies for answer in answers] == [("Yes .",), (), ("Tea ?",)]
    assert answers[1].error == "human has no recorded reply to this turn: 'Beer ?'"
    with pytest.raises(BotError) as error:
        BOT.reply([said("Hi ."), said("Tea ?", "Beer " * 40)])
    assert error.value.reasons[1].startswith("human has no recorded reply to these 2 turns, the last of them 'Beer Beer")
    assert len(error.value.reasons[1]) < 150


def test_seeds_choose_and_replies_come_as_often_as_they_were_given():
    bot = Human().fit([["Tea ?", "Yes ."]] * 3 + [["Tea ?", "No ."]])
    firsts = [bot.reply([said("Tea ?")], seed=[seed])[0][0] for seed in range(400)]
    assert 260 < firsts.count("Yes .") < 340
    assert bot.reply([said("Tea ?")], n=3, seed=[firsts.index("No .")])[0] == ["No .", "Yes .", "No ."]


def by_hand(talks, context):
    """The definition, one place after the other."""
    found, length = set(), len(context)
    for talk in talks:
        for at in range(len(talk) - length):
            if talk[at : at + length] == context and (length or at == 0):
                found.add(talk[at + length])
    return found


@given(
    st.lists(st.lists(st.sampled_from("abc"), min_size=1, max_size=6), max_size=6),
    st.lists(st.sampled_from("abc"), max_size=4),
)
def test_equal_to_the_definition(talks, context):
    talks = [*talks, ["x", "y"]]
    wanted = by_hand(talks, context)
    (answer,) = ask(Human().fit(talks), [said(*context)], n=10)
    assert set(answer.replies) == wanted
    assert bool(answer.error) == (not wanted)


def test_every_turn_of_a_real_conversation_is_found(shared_data):
    """200 conversations of people: each reply is among those given to what came before it."""
    path = shared_data("dialogues/convai2_volunteers.jsonl.gz")
    talks = [[turn.text for turn in dialogue.turns] for dialogue in open_items([str(path)])][:200]
    bot = Human().fit(talks)
    contexts = [said(*talk[:i]) for talk in talks for i in range(1, len(talk))]
    wanted = [talk[i] for talk in talks for i in range(1, len(talk))]
    replies = bot.reply(contexts, n=1)
    assert len(contexts) > 1000
    assert np.mean([one[0] == text for one, text in zip(replies, wanted, strict=True)]) > 0.8
    many = bot.reply(contexts, n=300)
    assert all(text in said for said, text in zip(many, wanted, strict=True))


def test_a_file_is_as_good_as_fitting(tmp_path):
    (tmp_path / "talks.txt").write_text("\n\n".join("\n".join(talk) for talk in TALKS))
    bot = create("bot", f"human(file={tmp_path / 'talks.txt'})")
    assert bot.fitted
    assert bot.recipe == BOT.recipe
    assert bot.reply([said("Tea ?")], n=2) == BOT.reply([said("Tea ?")], n=2)
    bot.save(tmp_path / "model")
    assert create("bot", str(tmp_path)).recipe == BOT.recipe
    with pytest.raises(SpecError, match="names its own source"):
        bot.fit(TALKS)


def test_refusals(tmp_path):
    (tmp_path / "lines.txt").write_text("Tea ?\n\nYes .\n")
    with pytest.raises(DataError, match="no conversation of two turns"):
        Human(str(tmp_path / "lines.txt")).reply([()])
    with pytest.raises(NeedsError, match="nobody replies"):
        Human().fit([["Tea ?"], []])
    with pytest.raises(NeedsError) as error:
        Human().reply([()])
    assert "dialometer train human FILE…" in error.value.hint


@pytest.mark.parametrize("starts", [[0, 1], [0, 2, 2], [1, 2], [0, 3, 2]])
def test_conversations_that_do_not_fit_together_are_refused(tmp_path, starts):
    arrays = {"texts": np.frombuffer(b"ab", np.uint8), "text_starts": np.arange(3), "talk_starts": np.array(starts)}
    save_artifact(tmp_path, "bot", Human(), arrays)
    with pytest.raises(MissingResource, match="do not fit together"):
        create("bot", str(tmp_path))
