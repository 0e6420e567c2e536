"""The verb train with a judge: what it prints, and what it says when it cannot."""

import json

import pytest

from dialometer.core import registry
from tests.cli.conftest import write
from tests.flows.rated import rated_rows
from tests.flows.train_judge import plain


@pytest.fixture(autouse=True)
def judges(monkeypatch):
    plain.register(monkeypatch)
    yield
    registry._menu.cache_clear()


@pytest.fixture
def rated(tmp_path):
    return write(tmp_path / "rated.jsonl", rated_rows()).name


QUICK = ("--quick", "-m", "length", "--keep-references-equal", "--folds", 4)


def test_json_keeps_the_promise(cli, rated):
    done = cli("train", "plain", rated, "-q", "overall", *QUICK, "--json")
    found = json.loads(done.out)
    assert done.code == 0
    assert found["run"].startswith("runs/train-")
    for way in ("context", "system"):
        assert {"spearman", "pearson", "mae"} <= found["folds"][way].keys()
    assert "length-only" in found["baselines"]


def test_prints_a_table_and_what_to_type_next(cli, rated):
    done = cli("train", "plain", rated, "-q", "overall", *QUICK, "-o", "runs/plain")
    lines = done.out.splitlines()
    assert lines[0] == "plain fitted on 60 rated turns: overall (240 judgements, mean), 12 contexts, 5 systems"
    for start in ("people, half against half", "this judge, by context", "this judge, by system", "length-only"):
        assert any(line.startswith(start) for line in lines)
    assert any(line.startswith("On unseen contexts: Spearman") for line in lines)
    assert lines[-1] == "use it: dialometer score FILE -m runs/plain"
    assert cli("train", "plain", rated, "-q", "overall", *QUICK, "-o", "runs/plain").out == done.out
    assert cli("score", rated, "-m", "runs/plain", "--quiet").code == 0


def test_the_card_of_a_quick_run_points_at_what_was_not_looked_at(cli, rated, tmp_path):
    cli("train", "plain", rated, "-q", "overall", *QUICK, "-o", "runs/plain")
    card = (tmp_path / "runs/plain/card.md").read_text()
    assert "read how it reacts to perturbed replies first: `dialometer stress FILE -m RUN`" in card
    assert "call overall of these replies" in card


def test_help_speaks_of_conversations(cli):
    shown = " ".join(cli("train", "--help").out.split())
    for words in ("rated replies or rated conversations", "hybrid deals ratings 99 times", "--selfplay runs/talks"):
        assert words in shown


def test_options_in_a_file(cli, rated, tmp_path):
    (tmp_path / "train.toml").write_text('quality = "overall"\nmetrics = ["length"]\nquick = true\nfolds = 3\n')
    found = json.loads(cli("train", "plain", rated, "--config", "train.toml", "--json").out)
    assert len(found["folds"]["context"]["each"]) == 3


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (("plain",), "no file was given"),
        (("plain", "rated.jsonl"), "ratings of 2 qualities"),
        (("plain", "rated.jsonl", "-q", "wit"), "no quality named 'wit'"),
        (("plain", "bare.jsonl", "-q", "overall"), "holds no ratings"),
        (("plain", "same.jsonl", "-q", "overall"), "there is nothing to learn"),
        (("plain", "few.jsonl", "-q", "overall"), "a fold needs two"),
        (("plain", "one.jsonl", "-q", "overall"), "share one context"),
        (("plain", "rated.jsonl", "-q", "overall", "--scale", "2,5"), "a rating of 1 is outside the scale 2…5"),
        (("plain", "alone.jsonl", "-q", "overall"), "plain needs a reference"),
        (("plain", "nobody.jsonl", "-q", "overall", "--aggregate", "mace"), "MACE needs to know who judged"),
        (("plain", "rated.jsonl", "-q", "overall", "--where", "system=none"), "no item meets"),
        (("./rated.jsonl", "rated.jsonl", "-q", "overall"), "is a file"),
        (("runs/none", "rated.jsonl", "-q", "overall"), "there is no such folder"),
        (("plain", "table.csv", "-q", "overall"), "a table of judgements names no responses"),
        (("plain", "none.jsonl", "-q", "overall"), "none.jsonl"),
    ],
)
def test_bad_input(cli, rated, tmp_path, arguments, says):
    rows = rated_rows()
    write(tmp_path / "bare.jsonl", [row | {"ratings": {}} for row in rows])
    write(tmp_path / "same.jsonl", [row | {"ratings": {"overall": [3, 3, 3, 3]}} for row in rows])
    write(tmp_path / "few.jsonl", rated_rows(contexts=3, systems=1))
    write(tmp_path / "one.jsonl", [row | {"context_id": "c"} for row in rows])
    write(tmp_path / "alone.jsonl", [row | {"references": []} for row in rows])
    write(tmp_path / "nobody.jsonl", [row | {"raters": []} for row in rows])
    (tmp_path / "table.csv").write_text("item,rater,quality,value\nc0-s0,r0,overall,3\n")
    said = cli("train", *arguments).refused()
    assert says in said
    assert not (tmp_path / "runs").exists()
