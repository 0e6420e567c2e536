"""chat: what was said can be undone, retried, scored and kept; a failing bot costs its own turn alone."""

import json
import re
from dataclasses import dataclass, field

import pytest

from dialometer.contracts.chat import ChatRequest
from dialometer.contracts.score import ScoreRequest
from dialometer.core.errors import BotError, NeedsError, UsageError
from dialometer.core.seeds import derived
from dialometer.data import examples, open_items
from dialometer.flows.chat.chat import Conversation, chat
from dialometer.flows.chat.scorer import Scorer
from dialometer.flows.chat.transcript import Keeper
from dialometer.flows.score.score import score


@dataclass(frozen=True)
class Teller:
    """Tells how many turns it saw and its seed; fails where it is told to."""

    fails: list = field(default_factory=list)
    name: str = "teller"
    version: int = 1
    recipe: str = "teller-1"

    def reply(self, contexts, *, n=1, seed=0):
        if self.fails:
            raise RuntimeError(self.fails.pop())
        return [[f"{len(context)} {one}"] for context, one in zip(contexts, seed, strict=True)]


def test_the_bot_hears_all_that_was_said():
    talk = Conversation(Teller(), seed=3)
    assert talk.say("one").reply == f"1 {derived(3, 0, 0)}"
    assert talk.say("two").reply == f"3 {derived(3, 1, 0)}"
    assert [(turn.speaker, turn.text[:3]) for turn in talk.turns] == [
        ("user", "one"),
        ("bot", "1 " + str(derived(3, 0, 0))[0]),
        ("user", "two"),
        ("bot", "3 " + str(derived(3, 1, 0))[0]),
    ]


def test_undone_and_said_again_is_the_same_and_retried_is_not():
    talk = Conversation(Teller())
    first = talk.say("one")
    assert talk.undo() == first
    assert talk.turns == ()
    assert talk.say("one").reply == first.reply
    second, third = talk.retry(), talk.retry()
    assert len({first.reply, second.reply, third.reply}) == 3
    assert [second.attempt, third.attempt] == [1, 2]
    assert len(talk.exchanges) == 1


def test_nothing_to_take_back():
    talk = Conversation(Teller())
    for call in (talk.undo, talk.retry, lambda: talk.save("x.jsonl")):
        with pytest.raises(UsageError, match="nothing has been said yet"):
            call()


def test_a_failure_keeps_what_was_said_before_and_can_be_retried():
    bot = Teller()
    talk = Conversation(bot)
    talk.say("one")
    bot.fails.append("too\nhot")
    with pytest.raises(BotError, match="too hot"):
        talk.say("two")
    assert len(talk.turns) == 2
    assert talk.retry().said == "two"
    assert len(talk.turns) == 4


def test_a_retry_that_fails_leaves_the_reply_that_was_there():
    bot = Teller()
    talk = Conversation(bot)
    talk.say("one")
    before = talk.turns
    bot.fails.append("no")
    with pytest.raises(BotError):
        talk.retry()
    assert talk.turns == before


def test_scores_are_those_of_score(tmp_path):
    path = tmp_path / "talk.jsonl"
    talk = chat(ChatRequest("parrot", metrics=("length", "distinct"), output=str(path)))
    for text in ("I like tea .", "Do you ?", "tea tea tea"):
        talk.say(text)
    shown = [exchange.scores["words"] for exchange in talk.exchanges]
    assert shown == [4, 3, 3]
    assert talk.exchanges[2].scores["distinct-1"] == pytest.approx(1 / 3)
    report = score(ScoreRequest((str(path),), ("length",), output=str(tmp_path / "run")))
    assert report.scores().columns["words"].tolist() == shown
    assert list(report.cells) == ["parrot"]


def test_a_metric_that_needs_a_reference_is_refused_before_the_first_word():
    with pytest.raises(NeedsError, match="bleu needs a reference, and a conversation has none") as caught:
        chat(ChatRequest("parrot", metrics=("bleu",)))
    assert "--without reference" in caught.value.hint


def test_columns_of_two_metrics_of_one_name_stay_apart():
    found = Scorer(("length", "length(tok=whitespace)")).score((), "tea, tea")
    assert found["length:words"] == 3
    assert found["length(tok=whitespace):words"] == 2


def test_the_file_is_whole_after_every_turn(tmp_path):
    path = tmp_path / "talk.jsonl"
    path.write_text('{"id":"old","system":"s","turns":[{"speaker":"user","text":"hi"},{"speaker":"bot","text":"ho"}]}')
    talk = Conversation(Teller(), name="runs/teller", keeper=Keeper(str(path)))

    def kept():
        return [(item.id, [turn.text for turn in item.turns]) for item in open_items(path)]

    old = ("old", ["hi", "ho"])
    assert kept() == [old]
    for text in ("one", "two"):
        talk.say(text)
        assert kept() == [old, (talk.id, [turn.text for turn in talk.turns])]
    talk.retry()
    talk.undo()
    assert kept() == [old, (talk.id, [turn.text for turn in talk.turns])]
    first = (talk.id, [turn.text for turn in talk.turns])
    talk.reset()
    assert kept() == [old, first]
    talk.say("three")
    assert kept() == [old, first, (talk.id, [turn.text for turn in talk.turns])]
    talk.undo()
    assert kept() == [old, first]
    assert [example.system for example in examples([path])] == ["s", "runs/teller"]


def test_a_line_that_somebody_else_added_stays(tmp_path):
    path = tmp_path / "talk.jsonl"
    one, two = (Conversation(Teller(), keeper=Keeper(str(path))) for _ in range(2))
    one.say("a")
    two.say("b")
    one.say("c")
    two.say("d")
    texts = [[turn.text for turn in item.turns if turn.speaker == "user"] for item in open_items(path)]
    assert texts == [["a", "c"], ["b", "d"]]


def test_what_is_kept_beside_the_turns(tmp_path):
    talk = chat(ChatRequest("parrot", metrics=("length",), seed=5))
    talk.say("tea")
    talk.save(str(tmp_path / "t.jsonl"))
    row = json.loads((tmp_path / "t.jsonl").read_text())
    assert (row["system"], row["recipe"], row["seed"]) == ("parrot", "parrot-1", 5)
    assert row["recipes"]["words"].startswith("length|")
    assert row["turns"][1]["scores"]["words"] == 1
    assert row["turns"][0]["time"] <= row["turns"][1]["time"]


@pytest.mark.parametrize(
    ("place", "told"),
    [(".", "it is a directory"), ("none/t.jsonl", "its folder does not exist"), ("t.jsonl.gz", "not as .gz")],
)
def test_a_place_that_cannot_be_written(tmp_path, monkeypatch, place, told):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(UsageError, match=re.escape(told)):
        chat(ChatRequest("parrot", output=place))
    assert list(tmp_path.iterdir()) == []
