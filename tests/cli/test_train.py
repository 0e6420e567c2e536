"""The verb train: what it prints, and what it says when it cannot."""

import json
import re

import pytest

from dialometer.cli.train import _learning
from dialometer.contracts.train import GenerativeTrainResult

TALK = "i like tea\nyou like cake\ntea is nice\n\ncake is nice\ngo home now\n"


@pytest.fixture
def lines(tmp_path):
    (tmp_path / "talk.txt").write_text(TALK)
    return "talk.txt"


def test_prints_the_spec_to_type_next(cli, lines):
    done = cli("train", "lsi(k=2)", lines, "-o", "runs/lsi")
    assert done.code == 0
    assert done.out.splitlines() == [
        "lsi fitted on 5 utterances of 2 conversations",
        "use it: dialometer score FILE -m 'sentence(encoder=runs/lsi)'",
    ]
    again = cli("train", "lsi(k=2)", lines, "-o", "runs/lsi")
    assert again.out == done.out


def test_json_is_one_object(cli, lines):
    found = json.loads(cli("train", "ngram", lines, "--json").out)
    assert found["kind"] == "likelihood"
    assert found["utterances"] == 5
    assert found["run"].startswith("runs/train-")


def test_train_then_score(cli, lines, tmp_path):
    assert cli("train", "amfm(am=lsi(k=2))", lines, "-o", "runs/amfm", "--quiet").out == ""
    (tmp_path / "items.jsonl").write_text('{"id": "1", "response": "tea is nice", "references": ["tea is nice"]}\n')
    done = cli("score", "items.jsonl", "-m", "runs/amfm")
    assert done.code == 0
    assert "was fitted on text that holds 100.0% of these references and 100.0% of these responses" in done.out


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (("train", "lsi"), "no file was given"),
        (("train", "blue", "talk.txt"), "no trainable thing named 'blue'"),
        (("train", "lsi(k=99)", "talk.txt"), "rank"),
        (("train", "lsi", "none.txt"), "none.txt"),
        (("train", "lsi", "bad.txt"), "bad.txt:2: is not UTF-8 text"),
        (("train", "amfm", "talk.txt", "--tune", "talk.txt"), "the name of a quality"),
        (("train", "skipthought", "alone.txt"), "neighbour"),
        (("score", "items.jsonl", "-m", "amfm"), "amfm has not been fitted on a text"),
        (("score", "items.jsonl", "-m", "runs/nowhere"), "there is no such folder"),
        (("score", "items.jsonl", "-m", "sentence(encoder=runs/nowhere)"), "there is no such folder"),
        (("score", "items.jsonl", "-m", "embedding(vectors=glove(path=none.txt))"), "none.txt"),
        (("score", "items.jsonl", "-m", "amfm(text=empty.txt)"), "holds no text"),
        (
            ("score", "items.jsonl", "-m", "amfm(text=talk.txt,am=lsi(k=1),pm=0.5)"),
            "needs a context for every example; 1 of 1",
        ),
    ],
)
def test_refusals_are_one_sentence_and_a_way_out(cli, lines, tmp_path, arguments, says):
    (tmp_path / "items.jsonl").write_text('{"id": "1", "response": "tea is nice", "references": ["tea"]}\n')
    (tmp_path / "bad.txt").write_bytes(b"fine\n\xff\xfe\n")
    (tmp_path / "empty.txt").write_text("\n")
    (tmp_path / "alone.txt").write_text("hello\n\nbye\n")
    assert says in cli(*arguments).refused()
    assert not list((tmp_path / "runs").glob("*")) if (tmp_path / "runs").exists() else True


TINY = "hred(hidden=8,embedding=8,context=8,vocabulary=60,epochs=1)"


def test_a_bot_says_how_it_speaks_and_what_to_type(cli, lines):
    done = cli("train", TINY, lines, "-o", "runs/hred")
    assert done.code == 0
    first, second, last = done.out.splitlines()
    assert first == "hred fitted on 5 utterances of 2 conversations"
    assert re.fullmatch(r"perplexity [\d.]+ per word on 3 replies that it learnt \(too few to hold any out\); .*", second)
    assert re.search(r"; 1 step at [\d,]+ symbols a second; curve.csv", second)
    assert last == "use it: dialometer chat runs/hred, or dialometer play --a runs/hred"


def test_a_conversation_of_one_turn_teaches_no_reply(cli, tmp_path):
    (tmp_path / "alone.jsonl").write_text('{"id": "1", "turns": [{"speaker": "a", "text": "tea"}]}\n')
    done = cli("train", TINY, "alone.jsonl")
    assert done.code == 2
    assert "no conversation here has two turns" in done.err
    assert not list((tmp_path / "runs").glob("*")) if (tmp_path / "runs").exists() else True


def test_a_bot_that_does_not_learn(cli, lines):
    done = cli("train", "eliza", lines)
    assert done.code == 2
    assert "eliza does not learn from text" in done.err
    assert "dialometer chat eliza" in done.err


def test_a_perplexity_beyond_all_numbers_is_a_dash():
    result = GenerativeTrainResult(
        run="r", kind="bot", name="hred", conversations=1, utterances=2, recipe="", seconds=0.0, kl=1.0, perplexity=None,
        perplexity_estimate=None, steps=1, tokens_per_second=5, held_out=0, turns=2, words=3, parameters=4,
    )  # fmt: skip
    assert _learning(result).startswith("perplexity – per word on 2 replies")
