"""Who judges: metrics of replies, metrics of dialogues, and measures beside them."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import pytest

from dialometer.bots._policy.episode import Episode
from dialometer.core.errors import NeedsError, SpecError, UnknownName, UsageError
from dialometer.core.registry import create
from dialometer.flows.train_policy.reward import corpus_of, label, make_reward_model

EPISODES = [
    Episode(("hi there",), ("a b c", "d", "e f", "g")),
    Episode(("hello",), ("x", "y z", "a b c d", "")),
]


@dataclass(frozen=True)
class Talkative:
    """Words of a whole conversation, one row per dialogue."""

    rows: int = 0

    name: ClassVar[str] = "talkative"
    version: ClassVar[int] = 1
    unit: ClassVar[str] = "dialogue"
    needs: ClassVar[frozenset[str]] = frozenset()
    columns: ClassVar[tuple[str, ...]] = ("talkative",)

    def measure(self, corpus):
        words = corpus.table("words").lengths()[corpus.response]
        owner = corpus.document_codes(np.arange(len(corpus)))
        found = np.bincount(owner, words)[:, None].astype(float)
        return found[: self.rows] if self.rows else found

    def finish(self, totals, *, level):
        return totals


def test_a_reward_of_replies_and_measures_beside_it():
    model = make_reward_model("length", ["length(tok=13a)"], alone=True)
    rewards, measures = model(EPISODES)
    assert rewards.tolist() == [[3, 1, 2, 1], [1, 2, 4, 0]]
    assert measures["length(tok=13a)"] == pytest.approx(14 / 8)
    assert measures["length(tok=13a) sd"] == pytest.approx(np.std([3, 1, 2, 1, 1, 2, 4, 0]))
    assert measures["distinct-1"] == pytest.approx(10 / 14)
    assert [recipe.split("|")[0] for recipe in model.recipes] == ["length", "length"]


def test_names_that_are_shown_hold_no_folders():
    def names(*watch):
        return [name for name, _ in make_reward_model("length", watch, alone=True).others]

    assert names("length(tok=13a)", "length(tok=13a)", "length") == ["length(tok=13a)", "length"]
    assert [label(spec) for spec in ("/a/b/judge", "runs/x(clip=false)", "stack(metrics=../y)")] == [
        "judge", "x(clip=false)", "stack(metrics=y)"
    ]  # fmt: skip


def test_another_column_and_the_other_way_round():
    assert make_reward_model("length", (), column="chars", alone=True)(EPISODES)[0][0].tolist() == [5, 1, 3, 1]
    assert make_reward_model("length", (), lowest=True, alone=True)(EPISODES)[0][0].tolist() == [-3, -1, -2, -1]


def test_a_dialogue_is_scored_once_and_its_last_turn_earns_it():
    episodes = [Episode(one.opener, one.said, every=2) for one in EPISODES]
    rewards, _ = make_reward_model(Talkative(), (), alone=False)(episodes)
    assert rewards.tolist() == [[0, 5], [0, 5]], "own turns only"
    with pytest.raises(UsageError, match="fixed partner"):
        make_reward_model(Talkative(), (), alone=True)
    with pytest.raises(SpecError, match="gave 1 scores for 2 dialogues"):
        make_reward_model(Talkative(rows=1), (), alone=False)(episodes)


def test_conversations_earn_what_hybrid_says_of_them():
    episodes = [Episode(one.opener, one.said, every=2) for one in EPISODES]
    rewards, _ = make_reward_model("hybrid", (), alone=False)(episodes)
    judge = create("metric", "hybrid")
    alone = [judge.finish(judge.measure(corpus_of([one])), level="item")[0, 0] for one in episodes]
    assert rewards.tolist() == [[0, alone[0]], [0, alone[1]]]
    assert alone[0] != alone[1]
    with pytest.raises(UsageError, match="fixed partner"):
        make_reward_model("hybrid", (), alone=True)


def test_what_is_judged():
    corpus = corpus_of([Episode(("hi",), ("a", "b", "c"), every=2)])
    texts = list(corpus.texts)
    assert [texts[row] for row in corpus.response] == ["a", "c"]
    assert [texts[row] for row in corpus.contexts.rows] == ["hi", "hi", "a", "b"]
    assert list(corpus.documents) == ["0", "0"]


@pytest.mark.parametrize(
    ("reward", "watch", "column", "error", "match"),
    [
        ("bleu", (), "", NeedsError, "needs a reference"),
        ("distinct", (), "", SpecError, "does not score a response by itself"),
        ("length", ("bleu",), "", NeedsError, "needs a reference"),
        ("length", (), "letters", UnknownName, "column of length"),
        ("lengths", (), "", UnknownName, "no metric named"),
    ],
)
def test_those_that_cannot_judge(reward, watch, column, error, match):
    with pytest.raises(error, match=match):
        make_reward_model(reward, watch, column=column, alone=True)


def test_what_was_not_scored_stays_absent():
    class Blind(Talkative):
        unit = "response"

        def measure(self, corpus):
            return np.full((len(corpus), 1), np.nan)

    model = make_reward_model(Blind(), (), alone=True)
    assert np.isnan(model(EPISODES)[0]).all()
