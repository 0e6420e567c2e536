"""What replies do in their conversations: six turns worked out by hand, and what is absent."""

from dataclasses import replace
from math import nan, sqrt

import numpy as np
import pytest

from dialometer.core.types import Dialogue, Turn
from dialometer.metrics.turns import COLUMNS, Turns
from dialometer.text.corpus import Corpus
from tests.metrics.toy_talk import SAID, chat, self_play

# Three exchanges of the chat; smile weighs 1, angry −1, joy 0. "cake cake tea" feels like nothing; "so so ha" has no vector.
BY_HAND = {
    "user-sentiment": (0.75, -0.5, 0.0),
    "bot-sentiment": (0.75, 0.75, nan),
    "sentiment-coherence": (1.0, (0.5 * 0.25) / sqrt((0.25 + 0.25) * (0.5625 + 0.0625)), nan),
    "sentiment-transition": (-0.5 - 0.75, 0.0 + 0.5, nan),
    "laughter": (2, 0, 1),
    "similarity": (1.0, 0.0, nan),  # (1, 0)·(2, 0); (0, 1)·(2, 0)
    # tea (1, 0), cake (0, 1), good (1, 1): means (1, ½) and (1, ⅓); then (0, 1) and (1, ½)
    "average-coherence": ((1 + 1 / 6) / sqrt((1 + 1 / 4) * (1 + 1 / 9)), 0.5 / sqrt(1 + 1 / 4), nan),
    "extrema-coherence": (1.0, 1 / sqrt(2), nan),  # (1, 1)·(1, 1); (0, 1)·(1, 1)
    "greedy-coherence": (1.0, (1 / sqrt(2) + (2 / sqrt(2) + 0) / 4) / 2, nan),
    "question": (1.0, 0.0, 0.0),
    "turn-words": (5, 4, 3),
    "user-words": (3, 2, 3),
    "repeats-itself": (0.0, 1 / 3, 0.0),  # good-tea, tea-good, good-tea: 2 kinds of 3
    "repeats-before": (1 / 4, 2 / 3, 0.0),  # good-tea was in the first turn
}


def values(metric, *dialogues):
    corpus = Corpus.build(example for dialogue in dialogues for example in dialogue.examples())
    return metric.finish(metric.measure(corpus), level="item")


def test_six_turns_by_hand(toy):
    assert tuple(BY_HAND) == COLUMNS == Turns.columns
    np.testing.assert_allclose(values(toy("turns"), chat()), np.array(list(BY_HAND.values())).T, rtol=0, atol=1e-7)


def test_self_play_plays_both_parts(toy):
    made = values(toy("turns"), self_play())
    column = dict(zip(COLUMNS, made.T, strict=True))
    feels = [0.75, 0.75, -0.5, 0.75, 0.0, nan]
    np.testing.assert_allclose(column["user-sentiment"], feels[:5], atol=1e-7)
    np.testing.assert_allclose(column["bot-sentiment"], feels[1:], atol=1e-7)
    np.testing.assert_allclose(column["sentiment-transition"], [-1.25, 0.0, 0.5, nan, nan], atol=1e-7)
    np.testing.assert_array_equal(column["user-words"], [3, 5, 2, 4, 3])
    np.testing.assert_allclose(
        made[[0, 2, 4]], values(toy("turns"), chat()), atol=1e-7, err_msg="every second reply is the chat's"
    )


def test_means_rest_on_what_there_is(toy):
    metric = toy("turns")
    rows = metric.measure(Corpus.build(chat().examples()))
    found = dict(zip(COLUMNS, metric.finish(rows.sum(0), level="corpus"), strict=True))
    assert found["bot-sentiment"] == pytest.approx(0.75)
    assert found["sentiment-transition"] == pytest.approx(-0.375)
    assert found["turn-words"] == 4


@pytest.mark.invariance
def test_a_reply_alone_is_the_reply_in_company(toy):
    metric, replies = toy("turns"), [*chat().examples(), *self_play().examples()]
    whole = metric.measure(Corpus.build(replies))
    order = np.random.default_rng(3).permutation(len(replies))
    np.testing.assert_array_equal(metric.measure(Corpus.build([replies[i] for i in order])), whole[order])
    for row, reply in enumerate(replies):
        np.testing.assert_array_equal(metric.measure(Corpus.build([reply]))[0], whole[row])


def test_what_is_absent(toy):
    metric = toy("turns")
    silent = chat(("good tea", "", "", "good tea", "hm", "hm"))
    made = [dict(zip(COLUMNS, row, strict=True)) for row in values(metric, silent)]
    assert [row["turn-words"] for row in made] == [0, 2, 1]
    assert [row["question"] for row in made] == [0, 0, 0]
    of_user = {"user-sentiment", "laughter", "user-words"}
    assert all(np.isnan(made[0][name]) for name in Turns.gaps if name not in of_user), "an empty reply"
    assert np.isnan(made[1]["user-sentiment"]), "an empty turn feels like nothing"
    assert made[1]["bot-sentiment"] == 0.75
    assert made[1]["repeats-before"] == 1.0
    assert np.isnan(made[2]["repeats-itself"]), "one word has no pair"
    bare = replace(next(chat().examples()), context=())
    assert not metric.measure(Corpus.build([bare])).any(), "a reply to nothing has no features"
    assert metric.explain(Corpus.build([bare]), 0) == ["a reply without a context answers nothing, and has no features"]
    assert metric.measure(Corpus.build([])).shape == (0, 2 * len(COLUMNS))


def test_three_speakers_are_a_system_and_its_partners(toy):
    turns = (Turn("u", "bad"), Turn("x", "good tea"), Turn("b", "good cake"), Turn("x", "bad"), Turn("u", "so"))
    (found,) = values(toy("turns"), Dialogue("d", "b", turns))
    column = dict(zip(COLUMNS, found, strict=True))
    assert (column["user-sentiment"], column["sentiment-transition"]) == (0.75, -1.25), (
        "whoever spoke last, whoever spoke next"
    )


def test_a_bot_that_speaks_twice_answers_the_user_both_times(toy):
    replies = list(chat(("haha good", "tea", "cake so", "bad"), "ubbu").examples())
    corpus = Corpus.build(replies)
    made = [dict(zip(COLUMNS, row, strict=True)) for row in toy("turns").finish(toy("turns").measure(corpus), level="item")]
    for row in made:
        assert (row["user-sentiment"], row["sentiment-transition"], row["laughter"], row["user-words"]) == (
            0.75,
            -1.25,
            2,
            2,
        )
    assert toy("turns").explain(corpus, 1)[:3] == ["q: haha good", "r: cake so", "n: bad"]
    unknown = Corpus.build([replace(reply, own=()) for reply in replies])
    assert toy("turns").explain(unknown, 1)[0] == "q: tea", "nobody knows who spoke: the turn before is the partner's"


def test_a_bot_that_nobody_spoke_to(toy):
    metric, corpus = toy("turns"), Corpus.build(chat(("good tea", "good tea", "so"), "b").examples())
    made = [dict(zip(COLUMNS, row, strict=True)) for row in metric.finish(metric.measure(corpus), level="item")]
    of_user = set(COLUMNS) - {"bot-sentiment", "question", "turn-words", "repeats-itself", "repeats-before"}
    assert {name for name in COLUMNS if np.isnan(made[0][name])} == of_user
    assert made[0]["repeats-before"] == 1
    assert (
        metric.explain(corpus, 0)[0] == "q: nobody else spoke before it, so that it has nothing that needs what it answers"
    )


def test_the_same_reply_many_times(toy):
    texts = [text for _ in range(5) for text in ("bad cake", "good tea good tea")]
    column = dict(zip(COLUMNS, values(toy("turns"), chat(texts)).T, strict=True))
    np.testing.assert_allclose(column["repeats-before"], [0, 1, 1, 1, 1])
    np.testing.assert_allclose(column["repeats-itself"], [1 / 3] * 5)


def test_explained(toy):
    lines = toy("turns").explain(Corpus.build(chat().examples()), 2)
    assert lines[:3] == [
        "q: so so ha",
        "r: cake cake tea",
        "n: nobody else spoke after it, so that it has no sentiment-transition",
    ]
    assert "laughter = 1.0000" in lines
    assert "similarity = absent" in lines
    assert toy("turns").explain(Corpus.build(chat().examples()), 0)[:3] == [
        f"q: {SAID[0]}",
        f"r: {SAID[1]}",
        f"n: {SAID[2]}",
    ]
