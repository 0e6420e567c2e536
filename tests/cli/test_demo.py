"""The demo: tables for every metric and commands to go on with, offline, anywhere."""

import json
import shlex

from dialometer.flows.demo import METRICS, sample_path


def test_tables_and_the_next_commands(cli, tmp_path):
    done = cli("demo", "-o", "r")
    assert (done.code, done.err) == (0, "")
    for metric in METRICS:
        assert f"\n{metric.split('(')[0]}|" in done.out
    for system in ("careful", "parrot", "generic"):
        assert done.out.count(f"\n{system}") == len(METRICS)
    assert "24 items → r/scores.parquet" in done.out
    assert (tmp_path / "r" / "scores.parquet").exists()
    assert "\nNext:\n" in done.out


def test_the_next_commands_work(cli):
    lines = cli("demo", "-o", "r").out.split("Next:\n")[1].splitlines()
    assert len(lines) >= 3
    for line in lines:
        program, *arguments = shlex.split(line.replace("YOUR.jsonl", str(sample_path())))
        assert program == "dialometer"
        done = cli(*arguments)
        assert (done.code, done.err) == (0, ""), line
        assert done.out


def test_the_careful_bot_beats_the_others_everywhere(cli, tmp_path):
    cli("demo", "-o", "r", "--quiet")
    cells = json.loads((tmp_path / "r" / "summary.json").read_text())["cells"]
    for column in ("bleu-1", "rouge-l", "meteor", "cider"):
        assert cells["careful"][column]["mean"] > max(cells[other][column]["mean"] for other in ("parrot", "generic"))


def test_quiet(cli):
    done = cli("demo", "--quiet", "-o", "r")
    assert (done.code, done.out, done.err) == (0, "", "")


def test_again_it_is_reprinted(cli):
    assert cli("demo", "-o", "r") == cli("demo", "-o", "r")


def test_it_runs_as_a_command_of_its_own(spawn, tmp_path):
    done = spawn("demo")
    assert done.code == 0, done.err
    assert "Next:" in done.out
    assert [child.name for child in tmp_path.iterdir()] == ["runs"]


def test_a_place_that_cannot_be_written(cli, items):
    assert "cannot write the run directory" in cli("demo", "-o", items).refused()
