"""Conversations as a whole: six turns by hand, both forms, and a plain recomputation of real ones."""

from dataclasses import replace
from math import sqrt

import numpy as np
import pytest

from dialometer.core.registry import create
from dialometer.core.types import Dialogue, Turn
from dialometer.data import open_items
from dialometer.metrics.conversation import COLUMNS
from dialometer.metrics.turns import COLUMNS as OF_TURNS
from dialometer.text import dialogues as documents
from dialometer.text.corpus import Corpus
from tests.metrics.plain_talk import Plain
from tests.metrics.toy_talk import SAID, chat, self_play

WHOLE = COLUMNS[len(OF_TURNS) :]


def corpus_of(*dialogues):
    return Corpus.build(example for dialogue in dialogues for example in dialogue.examples())


def values(metric, *dialogues):
    return metric.finish(metric.measure(corpus_of(*dialogues)), level="item")


def whole(metric, *dialogues):
    return [dict(zip(COLUMNS, row, strict=True)) for row in values(metric, *dialogues)]


def test_six_turns_by_hand(toy):
    (found,) = whole(toy("conversation"), chat())
    by_hand = {
        "user-sentiment": (0.75 - 0.5 + 0) / 3,
        "bot-sentiment": 0.75,
        "laughter": 1,
        "question": 1 / 3,
        "sentiment-slope": (0.75 + 0.5) / (0 - 1),  # highest in the first user turn, lowest in the second
        "own-distinct-1": 5 / 12,  # what tea ? good cake
        "own-distinct-2": 7 / 9,
        # (2, 0) with (1, 0); (2, 0) with (3, 1)/3; (1, 2) with (5, 1)/5
        "topic": (1 + 3 / sqrt(10) + 7 / sqrt(26 * 5)) / 3,
        "balance": 1 - abs(2 * 12 / 20 - 1),
        "replies": 3,
    }
    assert {name: found[name] for name in by_hand} == pytest.approx(by_hand, abs=1e-7)
    turns = toy("turns")
    every = turns.measure(corpus_of(chat())).sum(0)
    np.testing.assert_allclose([found[name] for name in OF_TURNS], turns.finish(every, level="corpus"), atol=1e-12)


def test_self_play_by_hand(toy):
    (found,) = whole(toy("conversation"), self_play())
    assert found["replies"] == 5
    assert found["sentiment-slope"] == pytest.approx(1.25 / (0 - 2)), (
        "0.75 first in turn 0, −0.5 in turn 2, of those answered"
    )
    assert found["balance"] == pytest.approx(1 - abs(2 * (5 + 4 + 3) / (5 + 2 + 4 + 3 + 3) - 1)), "every second reply"
    assert found["own-distinct-1"] == pytest.approx(8 / 17), "what tea ? good bad cake so ha"


def test_a_row_for_each_in_order_of_appearance(toy):
    metric = toy("conversation")
    talks = [chat(), self_play(), chat(SAID[::-1], name="other"), chat(SAID, name="e")]
    made = values(metric, *talks)
    assert made.shape == (4, len(COLUMNS))
    np.testing.assert_array_equal(made[0], made[3])
    for row, talk in enumerate(talks):
        np.testing.assert_allclose(values(metric, talk)[0], made[row], atol=1e-12)
    order = [2, 0, 3, 1]
    np.testing.assert_allclose(values(metric, *(talks[i] for i in order)), made[order], atol=1e-12)
    replies = [example for talk in talks for example in talk.examples()]
    shuffled = [replies[i] for i in np.random.default_rng(5).permutation(len(replies))]
    names = list(dict.fromkeys(example.id.split("#")[0] for example in shuffled))
    again = metric.finish(metric.measure(Corpus.build(shuffled)), level="item")
    np.testing.assert_allclose(again, made[[["d", "s", "other", "e"].index(name) for name in names]], atol=1e-12)


def test_one_opener_is_not_one_conversation(toy):
    """``play`` gives conversations of one opener one group, and so have both sides of a conversation."""
    talks = [Dialogue(name, system, chat().turns, "opener", extra={"rated_speaker": side}) for name, system, side in
             (("d1", "x", "b"), ("d2", "x", "b"), ("d3", "y", "b"), ("d3'", "z", "u"))]  # fmt: skip
    assert [found["replies"] for found in whole(toy("conversation"), *talks)] == [3, 3, 3, 2]


def test_a_greeting_of_the_systems_own_is_not_the_users(toy):
    (found,) = whole(toy("conversation"), chat(("good day", "bad cake", "tea so", "good tea", "x good", "hm"), "bu"))
    assert found["replies"] == 2
    assert found["sentiment-slope"] == pytest.approx((0.75 + 0.5) / (1 - 0)), "bad, good, nothing"
    assert found["balance"] == pytest.approx(1 - abs(2 * 4 / 9 - 1))


def test_a_bot_that_speaks_twice_in_a_row_is_in_a_chat(toy):
    said = ("good", "tea good tea", "cake", "so bad", "bad")
    (found,) = whole(toy("conversation"), chat(said, "ubbbu"))
    assert found["sentiment-slope"] == pytest.approx((0.75 + 0.5) / (0 - 1)), "the two turns of the user"
    assert found["user-sentiment"] == 0.75
    assert found["sentiment-transition"] == pytest.approx(-0.5 - 0.75), "the same for every reply between the two"
    assert found["balance"] == pytest.approx(1 - abs(2 * 6 / 8 - 1))
    corpus = corpus_of(chat(said, "ubbbu"))
    assert toy("conversation").explain(corpus, 0)[0] == "3 replies of bot; chat: the turns of others are the user's part"
    (left,) = whole(toy("conversation"), chat(said[:3], "ubb"))
    assert (left["user-sentiment"], left["balance"]) == (0.75, pytest.approx(1 - abs(2 * 4 / 5 - 1)))
    assert np.isnan([left["sentiment-transition"], left["sentiment-slope"]]).all()


def test_long_conversations_are_what_short_steps_find(toy, monkeypatch):
    """Along one line of turns, or context by context: the same numbers; and where contexts were cut, the second way alone."""
    rng = np.random.default_rng(4)
    words = np.array(["tea", "cake", "good", "bad", "so", ""])
    texts = [" ".join(words[rng.integers(0, 6, rng.integers(0, 6))]).strip() for _ in range(150)]
    long = [chat(texts, "ubbub", name="a"), self_play(texts[::-1], name="b"), chat(texts[:7], name="c")]
    replies = [example for talk in long for example in talk.examples()]
    cut = [replace(example, id=f"cut#{k}", context=example.context[-9:]) for k, example in enumerate(long[1].examples())]
    for some in (replies, cut):
        corpus = Corpus.build([some[i] for i in rng.permutation(len(some))])
        made = {}
        for often in (1, 10**9):
            monkeypatch.setattr(documents, "OFTEN", often)
            made[often] = [toy(name).measure(corpus) for name in ("turns", "conversation")]
            assert bool(list(documents.long_talks(corpus))) == (often == 1 and some is replies)
        for one, other in zip(*made.values(), strict=True):
            np.testing.assert_allclose(one, other, rtol=0, atol=1e-9)


def test_what_is_absent(toy):
    metric = toy("conversation")
    (short,) = whole(metric, chat(("hm", "hm")))
    assert (short["replies"], short["balance"], short["turn-words"]) == (1, 1, 1)
    assert np.isnan([short[name] for name in ("sentiment-slope", "topic", "own-distinct-2", "similarity")]).all()
    (mute,) = whole(metric, chat(("", "", "", "")))
    assert np.isnan([mute[name] for name in WHOLE if name != "replies"]).all()
    (even,) = whole(metric, chat(("good", "tea", "good", "tea")))
    assert even["sentiment-slope"] == 0
    (once,) = whole(metric, chat(("good", "tea", "hm", "tea")))
    assert np.isnan(once["sentiment-slope"]), "one known turn has no slope"
    assert metric.measure(Corpus.build([])).shape == (0, 2 * len(COLUMNS))
    assert not metric.measure(Corpus.of(["good tea", "bad"])).any(), "replies to nothing are no conversations"


def test_answers_to_one_context_are_no_conversation(toy):
    first, *_ = chat().examples()
    corpus = Corpus.build([first, *(replace(first, id=f"d#{k}", response=f"tea {k}") for k in "ab")])
    metric = toy("conversation")
    found = dict(zip(COLUMNS, metric.finish(metric.measure(corpus), level="item")[0], strict=True))
    assert found["replies"] == 3
    assert np.isnan([found["sentiment-slope"], found["balance"]]).all()
    assert any("answer one context" in line for line in metric.explain(corpus, 1))


def test_turns_past_the_last_reply_and_in_a_row(toy):
    turns = [Turn("u", "good"), Turn("u", "tea"), Turn("b", "so"), Turn("u", "so"), Turn("x", "bad"), Turn("u", "x y z")]
    (found,) = whole(toy("conversation"), Dialogue("d", "b", tuple(turns)))
    assert found["sentiment-slope"] == pytest.approx((0 + 0.5) / (1 - 2)), (
        "tea, so, bad, x y z: the first turn may be a greeting"
    )
    assert found["balance"] == pytest.approx(1 - abs(2 * 1 / 7 - 1))


@pytest.mark.parametrize("name", ["dialogues/ji2022_free_run1.jsonl.gz", "dialogues/convai2_volunteers.jsonl.gz"])
def test_real_conversations_are_what_plain_python_finds(shared_data, name):
    talks = [talk for _, talk in zip(range(50), open_items([shared_data(name)]), strict=False)]
    oracle, replies = Plain(talks), [example for talk in talks for example in talk.examples()]
    if "convai2" in name:
        assert any(example.context[-1].speaker in example.own for example in replies), "a bot that speaks twice in a row"
    corpus = replace(Corpus.build(replies), keep=True)
    turns, metric = create("metric", "turns"), create("metric", "conversation")
    np.testing.assert_allclose(
        turns.finish(turns.measure(corpus), level="item"),
        [row for talk in talks for row in oracle.turns(talk)],
        rtol=0,
        atol=1e-6,
    )
    spoken = [talk for talk in talks if any(True for _ in talk.examples())]
    assert len(spoken) > 30
    np.testing.assert_allclose(
        metric.finish(metric.measure(corpus), level="item"), [oracle.talk(talk) for talk in spoken], rtol=0, atol=1e-6
    )
