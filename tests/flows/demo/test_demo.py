"""The demo, small: five bots, every kind of score, quality by construction, one page; interrupted, it goes on to the same bytes."""

import json
import logging
import re
from pathlib import Path

import numpy as np
import pytest

from dialometer.contracts.demo import DemoRequest
from dialometer.data import open_items
from dialometer.flows.demo import steps
from dialometer.flows.demo.demo import STEPS, demo
from dialometer.flows.demo.page import PLACES

TINY = "hred(hidden=8,embedding=8,units=words,vocabulary=200,epochs=1,decode=sample,temperature=0.6)"
SIZES = {"n": 2, "turns": 3, "questions": 4, "resamples": 50}


class Stopped(BaseException):
    """As abrupt as a kill: nothing in the house catches it."""


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    """A callable: a folder's name → the report of a small demo there."""
    root = tmp_path_factory.mktemp("demo")

    def make(name, **options):
        with pytest.MonkeyPatch.context() as patched:
            patched.setattr(steps, "SMALL", TINY)
            return demo(DemoRequest(**SIZES, output=str(root / name)), **options)

    return make


@pytest.fixture(scope="module")
def whole(run):
    """The report of a demo that was not interrupted, what it said, and what it warned of."""
    said, warned = [], []
    handler = logging.Handler(logging.WARNING)
    handler.emit = lambda record: warned.append(record.getMessage())
    logging.getLogger("dialometer").addHandler(handler)
    report = run("whole", tell=said.append)
    logging.getLogger("dialometer").removeHandler(handler)
    return report, said, warned


def words_of(path):
    """What is to be read on a page, its drawings too."""
    html = re.sub(r"<(script|style)\b.*?</\1>", "", path.read_text(encoding="utf-8"), flags=re.DOTALL)
    return re.sub(r"\s+", " ", re.sub(r"<[^>]*>", " ", html))


@pytest.fixture
def found(whole):
    return whole[0].results


def test_five_bots_and_nothing_left_out(found):
    assert [bot["name"] for bot in found["bots"]] == ["tfidf", "eliza", "alice", "hred", "rerank"]
    assert found["left_out"] == []
    for side in ("self-play", "partner-play"):
        assert {name: (own["conversations"], own["turns"]) for name, own in found["play"][side].items()} == {
            bot["name"]: (2, 6) for bot in found["bots"]
        }


def test_every_kind_of_score(found):
    replies = {"bleu-1", "rouge-l", "meteor", "embedding-average", "am-fm", "autojudge"}
    for cells in found["answers"].values():
        assert replies <= cells.keys()
        assert all(cells[column]["n"] == 4 for column in replies)
    for side in ("self-play", "partner-play"):
        for cells in found["talks"][side].values():
            assert {"hybrid", "autojudge", "words", "distinct-1"} <= cells.keys()
            assert cells["hybrid"]["n"] == 2  # one number per conversation
        assert all({"bot-sentiment", "topic"} <= cells.keys() for cells in found["features"][side].values())


def test_the_reranker_is_first_by_what_it_chooses_by(found):
    scores = {bot: cells["autojudge"]["mean"] for bot, cells in found["answers"].items()}
    assert max(scores, key=scores.get) == "rerank"


def test_no_question_was_learnt(whole):
    folder = Path(whole[0].run)
    learnt = {turn.text.lower() for talk in open_items(str(folder / "data/talks.jsonl")) for turn in talk.turns}
    asked = [item.context[0].text.lower() for item in open_items(str(folder / "data/questions.jsonl"))]
    assert len(asked) == 4
    assert not learnt & set(asked)


def test_quality_is_by_construction_and_says_so(whole, found):
    meta = found["meta"]
    assert (meta["human"], meta["n"]) == (False, 16)
    assert meta["constructions"] == {"original": 3, "other-context": 2, "generic": 1, "shuffled": 0}
    assert {"length-only", "bleu-1", "am-fm", "autojudge"} <= {row["metric"] for row in meta["rows"]}
    page = Path(whole[0].report).read_text(encoding="utf-8")
    assert "not human ratings" in page
    assert "nobody was asked" in page


def test_gaps_are_differences_of_means(found):
    for bot, own in found["gaps"].items():
        for column, gap in own.items():
            sides = [found["talks"][side][bot][column]["mean"] for side in ("self-play", "partner-play")]
            if column == "hybrid":  # a number per conversation; of autojudge the means weigh replies
                np.testing.assert_allclose(gap["difference"], sides[0] - sides[1], atol=1e-9)
            assert gap["low"] <= gap["difference"] <= gap["high"]
            assert gap["n"] == 2


def test_answers_known_by_heart_are_counted(whole, found):
    known = dict.fromkeys(found["by_heart"], 0)
    for item in open_items(str(Path(whole[0].run) / "data/answers.jsonl")):
        bare = [re.sub(r"[\W_]+", "", text.lower()) for text in (item.response, *item.references)]
        known[item.system] += bare[0] in bare[1:]
    assert found["by_heart"] == known


def test_a_sentence_before_each_step_and_its_outcome_after(whole):
    numbered = [re.match(rf"\[(\d+)/{STEPS}\] ([A-Z].*\.)$", line) for line in whole[1][::2]]
    assert [int(found[1]) for found in numbered] == list(range(1, STEPS + 1))
    assert all(line.startswith("      ") and line.strip() for line in whole[1][1::2])


def test_everything_lies_where_the_page_links_to(whole):
    page = Path(whole[0].report).read_text(encoding="utf-8")
    for path in PLACES:
        assert (Path(whole[0].run) / path).is_file(), path
        assert f'<a href="{path}">' in page
    assert Path(whole[0].report).name == "report.html"


def test_bots_have_short_names_in_every_file_and_report(whole):
    folder = Path(whole[0].run)
    bots = {bot["name"] for bot in whole[0].results["bots"]}
    for step in ("self-play", "partner-play", "answers"):
        assert {item.system for item in open_items(str(folder / step / "dialogues.jsonl"))} == bots
    assert json.loads((folder / "compare" / "compare.json").read_bytes())["systems"].keys() == bots
    for path in (folder / "compare", folder):
        assert "rerank(bots" not in words_of(path / "report.html")


def test_one_name_for_one_thing(whole):
    said = words_of(Path(whole[0].report)).replace("(in files: hybrid)", "").partition("Recipes and versions column")[0]
    assert "M_H" in said
    assert not re.search(r"\b(hybrid|am-fm|length-only)\b", said)
    assert not re.search(r"\w+_(dailydialog|interactive|volunteers|free_run1)", said)


def test_the_page_of_meta_speaks_of_the_construction(whole):
    said = words_of(Path(whole[0].run) / "meta" / "report.html")
    assert "compared with the construction" in said
    assert not re.search(r"\b(people|raters?)\b", said)


def test_cautions_are_on_the_page_alone(whole, found):
    assert any(found["cautions"].values())
    assert whole[2] == []


def test_a_finished_one_is_read_in_silence(run, whole):
    said = []
    again = run("whole", tell=said.append)
    assert said == []
    assert json.dumps(again.to_json()) == json.dumps(whole[0].to_json())


def test_stopped_anywhere_it_goes_on_to_the_same_bytes(run, whole):
    trained = None
    for stop in (3, 6, 8):

        def tell(sentence, stop=stop):
            if sentence.startswith(f"[{stop}/"):
                raise Stopped

        with pytest.raises(Stopped):
            run("stopped", tell=tell)
        folder = Path(whole[0].run).with_name("stopped")
        stamp = (folder / "hred" / "run.json").stat().st_mtime_ns
        assert trained in (None, stamp), "what was trained is not trained again"
        trained = stamp
    said = []
    report = run("stopped", tell=said.append)
    assert len(said) == 2 * STEPS
    assert (folder / "hred" / "run.json").stat().st_mtime_ns == trained
    for name in ("demo.json", "report.html"):
        assert (folder / name).read_bytes() == (Path(whole[0].run) / name).read_bytes(), name
    assert report.results == whole[0].results
