"""The score command: what it prints, where, and when it is silent."""

import json
import os
import pty
import select
import time

import pyarrow.parquet as pq
import pytest

from tests.cli.conftest import ROWS, write


def test_json_is_one_object_and_nothing_else(spawn, items):
    done = spawn("score", items, "-m", "bleu", "-m", "distinct", "--json")
    assert (done.code, done.err) == (0, "")
    assert done.out.count("\n") == 1
    shown = json.loads(done.out)
    assert {"run", "n", "systems", "corpus", "recipes"} <= shown.keys()
    assert shown["n"] == 4
    assert shown["run"].startswith("runs/score-")
    assert set(shown["systems"]) == set(shown["corpus"]) == {"eliza", "parry"}
    columns = {"bleu-1", "bleu-2", "bleu-3", "bleu-4"}
    for system, row in shown["systems"].items():
        assert columns <= row.keys() == shown["corpus"][system].keys() == shown["recipes"].keys()
        for column in columns:
            assert {"mean", "low", "high", "n"} <= row[column].keys()
            assert row[column]["low"] <= row[column]["mean"] <= row[column]["high"]
            assert row[column]["n"] == 2
            assert isinstance(shown["corpus"][system][column], float)
    assert all(recipe.split("|")[0] in ("bleu", "distinct") for recipe in shown["recipes"].values())


def test_the_numbers_are_those_of_the_item_file(cli, items, tmp_path):
    shown = json.loads(cli("score", items, "-m", "rouge", "-o", "r", "--json").out)
    table = pq.read_table(tmp_path / "r" / "scores.parquet").to_pylist()
    assert [row["id"] for row in table] == [row["id"] for row in ROWS]
    values = [row["rouge-l"] for row in table if row["system"] == "eliza"]
    assert shown["systems"]["eliza"]["rouge-l"]["mean"] == pytest.approx(sum(values) / 2, abs=1e-12)


def test_an_absent_number_is_null_not_nan(cli, items):
    done = cli("score", items, "-m", "distinct", "--json")
    assert "NaN" not in done.out
    assert json.loads(done.out)["systems"]["parry"]["distinct-1-adjusted"]["mean"] is None


def test_quiet_says_nothing_and_does_the_work(cli, items, tmp_path):
    done = cli("score", items, "-m", "bleu", "-o", "r", "--quiet")
    assert (done.code, done.out, done.err) == (0, "", "")
    assert (tmp_path / "r" / "scores.parquet").exists()
    assert cli("score", items, "-m", "blue", "--quiet").refused()


def test_the_table_is_readable(cli, items):
    done = cli("score", items, "-m", "bleu", "-m", "length", "-o", "r")
    assert (done.code, done.err) == (0, "")
    head, *lines = done.out.splitlines()
    assert head.split() == ["system", "n", "bleu-1", "bleu-2", "bleu-3", "bleu-4", "at", "floor"]
    eliza = next(line for line in lines if line.startswith("eliza"))
    assert eliza.split()[1] == "2"
    assert eliza.count("[") == eliza.count("]") == 4
    assert any(line.startswith("  corpus") for line in lines)
    assert any(line.startswith("parry") for line in lines)
    assert "bleu|variant:sacrebleu|order:4|smooth:exp|tok:words-1|refs:2|v:1" in lines
    assert "length|tok:words-1|v:1" in lines
    assert lines[-1] == "4 items → r/scores.parquet"
    assert max(map(len, lines)) < 132


def test_wide_and_unnamed_systems_keep_the_columns_straight(cli, tmp_path):
    rows = [ROWS[0] | {"system": "日本語"}, ROWS[1] | {"system": ""}]
    lines = cli("score", write(tmp_path / "w.jsonl", rows), "-m", "length").out.splitlines()
    assert lines[1].startswith("日本語")
    assert lines[2].startswith("(none)")
    assert len(lines[1]) + 3 == len(lines[2])  # three characters that take two places each


def test_parallel_text(cli, tmp_path):
    (tmp_path / "bot.txt").write_text("i like tea\nrain\n")
    (tmp_path / "one.txt").write_text("i like tea\nit rains\n")
    (tmp_path / "two.txt").write_text("tea\nrain\n")
    done = cli("score", "--hyp", "bot.txt", "--ref", "one.txt", "--ref", "two.txt", "-m", "bleu", "-o", "r", "--json")
    shown = json.loads(done.out)
    assert shown["systems"][""]["bleu-1"]["mean"] == 1.0
    assert "refs:2" in shown["recipes"]["bleu-1"]
    assert pq.read_table(tmp_path / "r" / "scores.parquet")["id"].to_pylist() == ["bot:1", "bot:2"]


@pytest.mark.parametrize("arguments", [("--hyp", "bot.txt"), ("--ref", "bot.txt"), ("--hyp", "b", "--ref", "b", "x.jsonl")])
def test_half_of_parallel_text_is_refused(cli, arguments):
    assert "--hyp bot.txt --ref human.txt" in cli("score", *arguments, "-m", "bleu").refused()


def test_parallel_files_of_different_length_name_the_short_one(cli, tmp_path):
    (tmp_path / "bot.txt").write_text("a\nb\nc\n")
    (tmp_path / "ref.txt").write_text("a\n")
    said = cli("score", "--hyp", "bot.txt", "--ref", "ref.txt", "-m", "bleu").refused()
    assert "ref.txt ends before line 2" in said
    assert "2 such cases" in said
    assert "wc -l" in said


def test_skip_incomplete(cli, tmp_path):
    path = write(tmp_path / "x.jsonl", [ROWS[0], ROWS[1] | {"references": []}])
    said = cli("score", path, "-m", "bleu", "-o", "r").refused()
    assert "1 of 2 have none (first: a2)" in said
    done = cli("score", path, "-m", "bleu", "--skip-incomplete", "-o", "r", "--json")
    assert json.loads(done.out)["systems"]["eliza"]["bleu-1"]["n"] == 1
    assert json.loads(done.out)["n"] == 2


def test_items_as_json_lines(cli, items, tmp_path):
    done = cli("score", items, "-m", "length", "--items", "jsonl", "-o", "r")
    assert done.out.endswith("4 items → r/scores.jsonl\n")
    rows = [json.loads(line) for line in (tmp_path / "r" / "scores.jsonl").read_text().splitlines()]
    assert [row["id"] for row in rows] == ["a1", "a2", "b1", "b2"]
    assert rows[0]["words"] == 3


def test_a_finished_run_is_reprinted_without_work(cli, items, tmp_path, monkeypatch):
    first = cli("score", items, "-m", "bleu", "-o", "r")
    monkeypatch.setattr("dialometer.flows.score.score._fill", lambda *a: pytest.fail("made again"))
    started = time.monotonic()
    again = cli("score", items, "-m", "bleu", "-o", "r")
    assert time.monotonic() - started < 2
    assert again == first
    monkeypatch.undo()


def test_a_damaged_finished_run_is_computed_again_or_names_the_way_out(cli, items, tmp_path, caplog):
    assert cli("score", items, "-m", "bleu", "-o", "r").code == 0
    first = cli("score", items, "-m", "bleu", "-o", "r", "--json").out
    for name, content in (("scores.parquet", b""), ("summary.json", b"[]")):
        (tmp_path / "r" / name).write_bytes(content)
        caplog.clear()
        assert cli("score", items, "-m", "bleu", "-o", "r", "--json").out == first
        assert f"{name} is not what was written" in caplog.text
    (tmp_path / "r" / "run.json").write_text("[1]")
    assert "rm -r r" in cli("score", items, "-m", "bleu", "-o", "r").refused()


def test_the_progress_bar_is_for_terminals(start, items):
    """On a pseudo-terminal it moves; standard output stays clean of it."""
    ours, theirs = pty.openpty()
    try:
        process = start("score", items, "-m", "bleu", "--shard", "1", "-o", "r", stderr=theirs)
        os.close(theirs)
        shown = _drain(ours, process)
        out, _ = process.communicate(timeout=60)
    finally:
        os.close(ours)
    assert process.returncode == 0
    assert "measuring" in shown
    assert "4/4" in shown
    assert "█" in shown
    assert "reading" in shown
    assert "\x1b" not in out
    assert "measuring" not in out


def test_the_progress_bar_is_not_for_pipes(spawn, items):
    done = spawn("score", items, "-m", "bleu", "--shard", "1", "-o", "r")
    assert (done.code, done.err) == (0, "")
    assert "measuring" not in done.out


def _drain(terminal: int, process) -> str:
    """All that is written to a pseudo-terminal until its writer is gone."""
    seen, deadline = b"", time.monotonic() + 60
    while time.monotonic() < deadline:
        ready, _, _ = select.select([terminal], [], [], 0.2)
        if not ready and process.poll() is not None:
            break
        if ready:
            try:
                block = os.read(terminal, 65536)
            except OSError:  # the other side is closed
                break
            if not block:
                break
            seen += block
    return seen.decode("utf-8", "replace")


def test_help_speaks_of_conversations_and_judges(cli):
    told = " ".join(cli("score", "--help").out.split())
    assert "dialometer score talks.jsonl -m conversation -m turns -m hybrid" in told
    assert "Score responses and conversations" in told
    assert "trained judges" in told


@pytest.fixture
def two_systems(tmp_path):
    """Two files of responses to one file of references, and a third that has the name of the first in another folder."""
    (tmp_path / "a.txt").write_text("i like tea\nrain\n")
    (tmp_path / "b.txt").write_text("coffee\nsnow\n")
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "a.txt").write_text("coffee\nrain\n")
    (tmp_path / "ref.txt").write_text("i like tea\nrain\n")
    (tmp_path / "ref2.txt").write_text("tea\nrain\n")


@pytest.mark.usefixtures("two_systems")
def test_every_hyp_is_a_system(cli, tmp_path):
    done = cli("score", "--hyp", "a.txt", "--hyp", "b.txt", "--ref", "ref.txt", "--ref", "ref2.txt", "-m", "bleu", "--json")
    shown = json.loads(done.out)
    assert {system: row["bleu-1"]["mean"] for system, row in shown["systems"].items()} == {"a": 1.0, "b": 0.0}
    assert shown["n"] == 4
    assert "refs:2" in shown["recipes"]["bleu-1"]
    assert pq.read_table(tmp_path / shown["run"] / "scores.parquet")["id"].to_pylist() == ["a:1", "a:2", "b:1", "b:2"]


@pytest.mark.usefixtures("two_systems")
def test_systems_of_files_with_one_name_are_told_apart(cli):
    def systems(*files):
        hyps = [part for file in files for part in ("--hyp", file)]
        return json.loads(cli("score", *hyps, "--ref", "ref.txt", "-m", "bleu", "--json").out)

    shown = systems("a.txt", "other/a.txt")
    assert {system: row["bleu-1"]["mean"] for system, row in shown["systems"].items()} == {"a.txt": 1.0, "other/a.txt": 0.5}
    assert list(systems("./a.txt", "./other/a.txt")["systems"]) == ["a.txt", "other/a.txt"]
    assert (
        "the file of responses a.txt is given twice"
        in cli("score", "--hyp", "a.txt", "--hyp", "a.txt", "--ref", "ref.txt", "-m", "bleu").refused()
    )


@pytest.mark.usefixtures("two_systems")
def test_several_hyp_in_a_file_of_options(cli, tmp_path):
    (tmp_path / "c.toml").write_text('hyp = ["a.txt", "b.txt"]\nref = "ref.txt"\nmetrics = "bleu"\njson = true\n')
    assert list(json.loads(cli("score", "--config", "c.toml").out)["systems"]) == ["a", "b"]
