"""The convert command."""

import json

import pytest
from click.testing import CliRunner

from dialometer.cli.convert import command
from dialometer.core.errors import DataError, UsageError
from dialometer.core.types import Example
from dialometer.data import open_items


def run(*arguments: object):
    return CliRunner().invoke(command, [str(argument) for argument in arguments])


@pytest.fixture
def rows(tmp_path):
    path = tmp_path / "a.jsonl"
    path.write_text('{"id":"a","response":"call 5","references":["r"]}\n{"id":"b","response":"x","references":["s"]}\n')
    return path


def test_convert_prints_one_line(rows, tmp_path):
    done = run(rows, "-o", tmp_path / "b.csv")
    assert done.exit_code == 0
    assert done.output == f"2 items, jsonl → csv: {tmp_path / 'b.csv'}\n"
    assert list(open_items(tmp_path / "b.csv")) == list(open_items(rows))


def test_json_and_quiet(rows, tmp_path):
    output = tmp_path / "b.parquet"
    assert json.loads(run(rows, "-o", output, "--json").output) == {
        "output": str(output),
        "n": 2,
        "from": "jsonl",
        "to": "parquet",
        "counts": {},
    }
    assert run(rows, "-o", output, "--quiet").output == ""


def test_parallel_and_placeholders(tmp_path):
    for name in ("hyp", "one", "two"):
        (tmp_path / name).write_text(f"{name} 7\n")
    output = tmp_path / "out.jsonl"
    done = run(
        "--hyp",
        tmp_path / "hyp",
        "--ref",
        tmp_path / "one",
        "--ref",
        tmp_path / "two",
        "-o",
        output,
        "--placeholders",
        "number",
    )
    assert done.exit_code == 0, done.output
    assert list(open_items(output)) == [Example("hyp:1", (), "hyp <number>", ("one <number>", "two <number>"))]


def test_builder_reports_what_it_left_out(tmp_path):
    (tmp_path / "ids.txt").write_text("1 2\n3\n")
    (tmp_path / "tweets.jsonl").write_text('{"id":1,"text":"a"}\n{"id":2,"text":"b"}\n')
    done = run("--builder", "tweets", tmp_path / "ids.txt", tmp_path / "tweets.jsonl", "-o", tmp_path / "t.jsonl")
    assert done.exit_code == 0, done.output
    assert "1 tweets missing" in done.stderr
    assert done.stdout.startswith("1 items, tweets → jsonl")


def test_errors_pass_through_for_main_to_print(rows, tmp_path):
    assert isinstance(run(rows, "-o", tmp_path / "x", "--to", "parallel").exception, DataError)
    assert isinstance(run(rows, "--hyp", rows, "-o", tmp_path / "x.csv").exception, UsageError)
    assert isinstance(run(rows).exception, UsageError)
    assert isinstance(run("-o", tmp_path / "x.csv").exception, UsageError)
    assert isinstance(run(rows, "-o", tmp_path / "x.csv", "--max-line", 0).exception, UsageError)
    assert isinstance(run(rows, "-o", tmp_path / "x.csv", "--max-line", 9).exception, DataError)
    assert run(rows, "-o", tmp_path / "x", "--to", "parallel", "--lossy").exit_code == 0


def test_empty_references(tmp_path):
    path = tmp_path / "a.jsonl"
    path.write_text('{"id":"a","response":"x","references":[""]}\n')
    assert "--allow-empty-references" in run(path, "-o", tmp_path / "b.csv").exception.hint
    assert run(path, "-o", tmp_path / "b.csv", "--allow-empty-references").exit_code == 0


def test_help_has_examples():
    text = run("--help").output
    assert "dialometer convert ratings.csv -o ratings.jsonl.gz" in text
    assert "--allow-empty-references" in text


def test_every_hyp_is_a_system(tmp_path):
    for name in ("one.txt", "two.txt", "ref.txt"):
        (tmp_path / name).write_text(f"{name}\n")
    hyps = ("--hyp", tmp_path / "one.txt", "--hyp", tmp_path / "two.txt")
    done = run(*hyps, "--ref", tmp_path / "ref.txt", "-o", tmp_path / "out.jsonl")
    assert done.exit_code == 0, done.output
    assert list(open_items(tmp_path / "out.jsonl")) == [
        Example(f"{name}:1", (), f"{name}.txt", ("ref.txt",), system=name, group="line 1") for name in ("one", "two")
    ]
    assert isinstance(run(*hyps, "-o", tmp_path / "x.jsonl").exception, UsageError)  # the second is no file of references
