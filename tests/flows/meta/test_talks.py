"""Rated conversations and scores that are there already, metrics that saw them in training, features under two names, refusals."""

import json
from pathlib import Path

import numpy as np
import pytest

from dialometer.contracts.score import ScoreRequest
from dialometer.contracts.train import TrainRequest
from dialometer.core.errors import DataError
from dialometer.flows.score.score import score
from dialometer.flows.train.train import train
from tests.flows.rated import run_meta, write_rows

WORDS = "tea cake good bad what how you like never again ha ?".split()


def talk(k, rng, speakers=("user", "bot"), turns=6):
    said = [" ".join(rng.choice(WORDS, rng.integers(1, 7))) for _ in range(turns)]
    named = [{"speaker": speakers[n % len(speakers)], "text": text} for n, text in enumerate(said)]
    return {"id": f"d{k}", "system": f"s{k % 5}", "turns": named, "ratings": {"fun": [int(rng.integers(1, 6))]}}


@pytest.fixture(scope="module")
def talks(tmp_path_factory):
    rng = np.random.default_rng(3)
    return write_rows(tmp_path_factory.mktemp("talks") / "talks.jsonl", [talk(k, rng) for k in range(24)])


def columns_of(report):
    return {r["metric"]: r["spearman"]["r"] for r in report.to_json()["rows"] if r["level"] == "dialogue"}


def test_a_run_of_score_over_conversations_says_what_the_metric_says(talks, tmp_path):
    scored = score(ScoreRequest((talks,), ("length",), resamples=0, output=str(tmp_path / "scored")))
    direct = run_meta(tmp_path, talks, ("length",), name="direct")
    joined = run_meta(tmp_path, talks, scores=(scored.run,), name="joined")
    assert columns_of(joined) == columns_of(direct)
    assert joined.to_json()["trajectories"] == direct.to_json()["trajectories"]
    assert "chars" in joined.to_json()["trajectories"][0]["columns"]
    assert joined.notes == []


def test_replies_of_several_sources_are_drawn_together(talks, tmp_path):
    scored = score(ScoreRequest((talks,), ("length",), resamples=0, output=str(tmp_path / "scored")))
    lines = [json.loads(line) for line in Path(talks).read_text(encoding="utf-8").splitlines()]
    own = [f"{row['id']}#{turn},{len(row['id']) + turn}" for row in lines for turn in (1, 3)]  # the last reply has none
    (tmp_path / "mine.csv").write_text("\n".join(["id,mine", *own]))
    report = run_meta(tmp_path, talks, scores=(scored.run, str(tmp_path / "mine.csv")))
    drawn = report.to_json()["trajectories"][0]["columns"]
    assert {"words", "mine"} <= drawn.keys()
    assert (drawn["words"]["turns"], drawn["mine"]["turns"]) == ([1, 2, 3], [1, 2])


def test_rows_that_belong_to_no_conversation_are_counted(talks, tmp_path):
    (tmp_path / "mine.csv").write_text("id,mine\nd0#1,1\nd0#3,2\nd1#1,3\nelse#1,4\n")
    (note,) = run_meta(tmp_path, talks, scores=(str(tmp_path / "mine.csv"),)).notes
    assert note.startswith(
        "mine.csv: 3 of 4 rows match; 1 belong to no rated id (first: else#1); 22 rated ids have no score"
    )
    (tmp_path / "none.csv").write_text("id,mine\nelse#1,4\n")
    with pytest.raises(DataError, match="match none of the 24 ids"):
        run_meta(tmp_path, talks, scores=(str(tmp_path / "none.csv"),), name="none")


def test_a_metric_that_saw_these_texts_says_so(talks, tmp_path):
    """By itself, and in a run of score; on the page as a caution."""
    model = train(TrainRequest("lsi", (talks,), output=str(tmp_path / "lsi"))).run
    spec = f"sentence(encoder={model})"
    specs = (spec, "length")  # these talks have no references, and some metric must have a number
    report = run_meta(tmp_path, talks, specs, name="direct")
    said = dict(zip(report.summary, report.tones, strict=True))
    seen = f"{spec} was fitted on text that holds 100.0% of these responses: it may look better here than elsewhere."
    assert said[seen] == "caution"
    assert "was fitted on text that holds 100.0% of these responses" in (Path(report.run) / "report.html").read_text()
    scored = score(ScoreRequest((talks,), specs, resamples=0, skip_incomplete=True, output=str(tmp_path / "scored")))
    assert seen in run_meta(tmp_path, talks, scores=(scored.run,), name="joined").notes


def test_features_that_conversation_has_are_drawn_and_not_tested_twice(talks, tmp_path):
    both = run_meta(tmp_path, talks, ("turns", "conversation"), name="both").to_json()
    alone = run_meta(tmp_path, talks, ("conversation",), name="alone").to_json()
    assert [row["metric"] for row in both["rows"]] == [row["metric"] for row in alone["rows"]]
    assert len(both["better"]) == len(alone["better"])
    assert {"similarity", "question"} <= both["trajectories"][0]["columns"].keys()
    assert alone["trajectories"] == []
    told = "turns has the features of conversation reply by reply: it is drawn turn by turn, and not tested again."
    assert dict(zip(both["summary"], both["tones"], strict=True))[told] == "plain"
    assert "turns" not in " ".join(alone["summary"])


@pytest.mark.parametrize(
    ("turns", "speakers", "said"),
    [(1, ("bot",), "holds no reply to score"), (6, ("user",), r"no turn is the system's \(speakers: user\)")],
)
def test_conversations_without_a_reply_are_refused_by_their_own_name(tmp_path, turns, speakers, said):
    rng = np.random.default_rng(0)
    file = write_rows(tmp_path / "silent.jsonl", [talk(k, rng, speakers, turns) for k in range(8)])
    with pytest.raises(DataError, match=said) as refused:
        run_meta(tmp_path, file, ("length",))
    assert refused.value.file == file
    with pytest.raises(DataError, match=said) as refused:
        score(ScoreRequest((file,), ("length",), output=str(tmp_path / "scored")))
    assert ("rated_speaker" in refused.value.hint) == (turns > 1)
