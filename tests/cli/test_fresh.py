"""The same command again: what it says of a finished run, and how --fresh computes it anew."""

import json
import re

import pytest

import dialometer as dm
from dialometer.cli import main as module
from dialometer.core.errors import NeedsError
from tests.cli.conftest import ROWS, write

REPRINTED = re.compile(r"reprinted from \d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\+00:00: runs/\w+-\w+ .*--fresh")
WITH_RUNS = ("score", "agree", "meta", "stress", "power", "train", "play", "compare", "demo")
BOT = """
from pathlib import Path

def talk(context):
    return Path("model.txt").read_text()
"""


@pytest.mark.parametrize("verb", WITH_RUNS)
def test_every_verb_with_runs_can_start_over(verb):
    options = {name for option in module.cli.get_command(None, verb).params for name in option.opts}
    assert "--fresh" in options


def test_a_finished_run_that_is_printed_again_says_so_on_standard_error(spawn, items):
    first = spawn("score", items, "-m", "bleu", "--json")
    assert first.err == ""
    again = spawn("score", items, "-m", "bleu", "--json")
    assert REPRINTED.search(again.err)
    assert again.out == first.out  # one object, the same
    assert len(again.err.splitlines()) == 1


def test_fresh_computes_a_finished_run_anew(cli, items, tmp_path, caplog):
    first = json.loads(cli("score", items, "-m", "bleu", "--json").out)
    summary = tmp_path / first["run"] / "summary.json"
    true = summary.read_bytes()
    summary.write_bytes(true.replace(b'"n": 4', b'"n": 9'))
    fresh = cli("score", items, "-m", "bleu", "--json", "--fresh")
    assert "reprinted" not in caplog.text
    assert json.loads(fresh.out) == first
    assert summary.read_bytes() == true
    assert sorted(path.name for path in (tmp_path / "runs").iterdir()) == [first["run"].removeprefix("runs/")]


def test_a_fresh_run_that_is_refused_leaves_the_finished_one(cli, items, monkeypatch, caplog):
    first = cli("score", items, "-m", "bleu", "--json")

    def refuse(*arguments):
        raise NeedsError("no")

    monkeypatch.setattr("dialometer.flows.score.score._check_needs", refuse)
    assert "error: no" in cli("score", items, "-m", "bleu", "--json", "--fresh").err
    again = cli("score", items, "-m", "bleu", "--json")
    assert again.out == first.out
    assert REPRINTED.search(caplog.text)


def test_a_bot_that_changed_out_of_sight_talks_anew_with_fresh(cli, tmp_path, monkeypatch, caplog):
    """What is behind a function, as behind an endpoint, is in no recipe."""
    monkeypatch.syspath_prepend(tmp_path)
    (tmp_path / "fresh_bot.py").write_text(BOT)
    (tmp_path / "model.txt").write_text("tea")
    command = ("play", "--a", "callable(target=fresh_bot:talk)", "-n", 2, "--turns", 2, "--json")
    first = json.loads(cli(*command).out)
    (tmp_path / "model.txt").write_text("coffee")
    again = cli(*command)
    assert json.loads(again.out) == first
    assert REPRINTED.search(caplog.text)
    fresh = cli(*command, "--fresh")
    assert json.loads(fresh.out)["dialogues"] == first["dialogues"]
    said = [json.loads(line) for line in (tmp_path / first["dialogues"]).read_text().splitlines()]
    assert {turn["text"] for talk in said for turn in talk["turns"][1:]} == {"coffee"}


def test_a_comparison_lets_its_bots_talk_anew(cli, tmp_path, monkeypatch, caplog):
    monkeypatch.syspath_prepend(tmp_path)
    (tmp_path / "fresh_bot.py").write_text(BOT)
    (tmp_path / "model.txt").write_text("tea")
    command = ("compare", "--a", "callable(target=fresh_bot:talk)", "--a", "parrot", "-n", 3, "--turns", 2)
    command = (*command, "-m", "length", "--resamples", 10, "--permutations", 10, "--json")
    words = {}
    for text, more in (("tea", ()), ("tea with milk", ()), ("tea with milk", ("--fresh",))):
        (tmp_path / "model.txt").write_text(text)
        caplog.clear()
        done = cli(*command, *more)
        assert ("reprinted" in caplog.text) == (text != "tea" and not more)
        own = json.loads(done.out)["systems"]["callable(target=fresh_bot:talk)"]
        words.setdefault(more, []).append(own["columns"]["words"]["mean"])
    assert words == {(): [1.0, 1.0], ("--fresh",): [3.0]}


def test_fresh_may_stand_in_a_file_of_options(cli, tmp_path, caplog):
    path = write(tmp_path / "x.jsonl", ROWS)
    cli("score", path, "-m", "length", "--quiet")
    (tmp_path / "c.toml").write_text("fresh = true\nquiet = true\n")
    assert cli("score", path, "-m", "length", "--config", "c.toml").code == 0
    assert "reprinted" not in caplog.text


def test_python_requests_have_it_too(cli, items):
    for name in dm.__all__:
        fields = getattr(getattr(dm, name), "__dataclass_fields__", {})
        if name.endswith("Request") and fields.get("output") and name not in ("ChatRequest", "ConvertRequest"):
            assert fields["fresh"].default is False, name
    runs = {dm.score(dm.ScoreRequest(str(items), "length", fresh=fresh)).run for fresh in (False, True)}
    assert len(runs) == 1  # it is no part of what a run is named after
