"""Every way an input can be wrong, through ``dialometer score``: refused in a sentence, and nothing is left behind."""

import gzip
import json
from dataclasses import dataclass, field

import pytest

from tests.cli.conftest import ROWS, write

GOOD = "".join(json.dumps(row) + "\n" for row in ROWS).encode()


@dataclass
class Bad:
    """Content put after the good rows (or alone), and what the refusal must say; the place is ``{file}:5`` unless named."""

    lines: bytes
    says: tuple[str, ...]
    alone: bool = False
    place: str = "{file}:5"
    options: tuple[str, ...] = ()
    name: str = "in.jsonl"
    count: int = 0
    pack: bool = field(default=False)


CASES = {
    "empty file": Bad(b"", ("holds no rows", "head "), alone=True, place="{file}"),
    "empty file without a format": Bad(b"", ("is empty", "ls -l"), alone=True, place="{file}", name="in"),
    "blank lines": Bad(b"\n\n \n", ("holds no rows",), alone=True, place="{file}"),
    "truncated gzip": Bad(b"", ("ends too early", "gzip -t"), pack=True, place="{file}:"),
    "not JSON": Bad(b'{"id": "x", \n', ("is not JSON", "--from")),
    "several not JSON": Bad(b"oops\noops\noops\n", ("is not JSON",), count=3),
    "not an object": Bad(b"[1, 2]\n7\n", ("not an object",), count=2),
    "no response": Bad(b'{"id":"x","reply":"hi","text":"yo"}\n', ("no 'response'", "fields found: reply, text"), place="x"),
    "mistyped response": Bad(
        b'{"id":"x","response":5}\n', ("'response' must be text, but it is a number", "mend"), place="x"
    ),
    "mistyped references": Bad(b'{"id":"x","response":"a","references":{}}\n', ("'references' must be a list",)),
    "duplicate id": Bad(b'{"id":"a1","response":"x"}\n', ("has the same id as {file}:1", "id of its own"), place="a1"),
    "several duplicate ids": Bad(GOOD, ("has the same id as {file}:1",), count=4),
    "NaN rating": Bad(b'{"id":"x","response":"a","ratings":{"q":[NaN]}}\n', ("NaN or Infinity", "null")),
    "Infinity rating": Bad(b'{"id":"x","response":"a","ratings":{"q":[-Infinity, 1]}}\n', ("NaN or Infinity", "null")),
    "overflowing rating": Bad(b'{"id":"x","response":"a","ratings":{"q":[1e999]}}\n', ("NaN or Infinity", "null")),
    "rating as text": Bad(b'{"id":"x","response":"a","ratings":{"q":["5"]}}\n', ("a rating of 'q' is '5'",), place="x"),
    "no reference": Bad(
        b'{"id":"x","response":"a"}\n{"id":"y","response":"a","references":[]}\n',
        ("bleu needs a reference", "2 of 6 have none", "--skip-incomplete", "--without reference"),
        place="first: x",
    ),
    "empty reference": Bad(
        b'{"id":"x","response":"a","references":["ok",""]}\n{"id":"y","response":"a","references":" "}\n',
        ("a reference is empty", "--allow-empty-references"),
        count=2,
    ),
    "invalid UTF-8": Bad(b'{"id":"x","response":"caf\xe9"}\n', ("is not UTF-8 (byte 0xe9", "iconv")),
    "UTF-16": Bad("\ufeffhi".encode("utf-16"), ("UTF-16", "iconv"), alone=True, place="{file}"),
    "lone surrogate": Bad(rb'{"id":"x","response":"\ud83d"}' + b"\n", ("surrogate",)),
    "long line": Bad(
        b'{"id":"x","response":"' + b"a" * 2000 + b'"}\n',
        ("is longer than 1000 bytes", "--max-line 4000"),
        options=("--max-line", "1000"),
    ),
    "no format": Bad(b"hello\nthere\n", ("cannot tell the format", "--hyp"), alone=True, place="{file}", name="in.txt"),
    "csv without response": Bad(
        b"id,reply\nx,hi\n", ("no 'response'", "reply"), alone=True, place="{file}:", name="in.csv"
    ),
    "not parquet": Bad(b"hello", ("parquet",), alone=True, place="{file}", name="in.parquet"),
}


def prepare(case: Bad, folder):
    path = folder / case.name
    content = case.lines if case.alone else GOOD + case.lines
    path.write_bytes(gzip.compress(content)[:-12] if case.pack else content)
    return path


def check(said: str, case: Bad, path) -> None:
    for words in (*case.says, case.place):
        assert words.format(file=path) in said, said
    assert str(path) in said or case.place == "first: x"
    if case.count:
        assert f"({case.count} such cases; this is the first)" in said


@pytest.mark.parametrize("name", CASES)
def test_bad_rows_are_refused_and_leave_nothing_behind(cli, tmp_path, name):
    """The mended file then goes through the same command."""
    case = CASES[name]
    path = prepare(case, tmp_path)
    check(cli("score", path, "-m", "bleu", "-o", "out", *case.options).refused(), case, path)
    check(cli("score", path, "-m", "bleu", "--json", *case.options).refused(), case, path)
    assert [child.name for child in tmp_path.iterdir()] == [path.name]
    good = write(tmp_path / "in.jsonl", ROWS)
    done = cli("score", good, "-m", "bleu", "-o", "out", "--json", *case.options)
    assert done.code == 0, done.err
    assert json.loads(done.out)["n"] == 4


@pytest.mark.parametrize("name", ["not JSON", "truncated gzip", "no reference", "several duplicate ids", "lone surrogate"])
def test_the_same_through_a_process_of_its_own(spawn, tmp_path, name):
    path = prepare(CASES[name], tmp_path)
    check(spawn("score", path, "-m", "bleu").refused(), CASES[name], path)
    assert [child.name for child in tmp_path.iterdir()] == [path.name]


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (("-m", "blue"), "there is no metric named 'blue'; did you mean bleu"),
        (("-m", "bleu(variant=cocoo)"), "there is no variant of bleu named 'cocoo'; did you mean coco"),
        (("-m", "bleu(oder=2)"), "there is no option of bleu named 'oder'; did you mean order"),
        (("-m", "bleu(order=two)"), "wants a whole number, not 'two'"),
        (("-m", "bleu(order=2"), "a bracket is not closed"),
        (("-m", "bleu", "--tok", "wrods"), "there is no tokeniser named 'wrods'; did you mean words"),
        (("-m", "bleu(tok=13b)"), "there is no tokeniser named '13b'; did you mean 13a"),
        (("-m", "bleu", "--engine", "seriall"), "there is no engine named 'seriall'; did you mean serial"),
        (("-m", "bleu", "--engine", "processes:0"), "is 1 to 1024, not 0"),
        (("-m", "bleu", "--engine", "pro cesses"), "cannot read the engine"),
        (("-m", "bleu", "--from", "jsnl"), "there is no format named 'jsnl'; did you mean jsonl"),
        (("-m", "bleu", "--skip-incomplet"), "--skip-incomplete"),
        (("-m", "bleu", "--seed", "x"), "'x' is not a valid int"),
        (("-m", "bleu", "--seed", str(10**30)), "--seed is -9223372036854775808 to 9223372036854775807, not 1000"),
        (("-m", "bleu", "--shard", "0"), "--shard is 1 to 1000000000, not 0"),
        (("-m", "bleu", "--resamples", "-1"), "--resamples is 0 to 1000000, not -1"),
        (("-m", "bleu", "--max-line", "0"), "--max-line is 1 to 1099511627776, not 0"),
        (("-m", "bleu", "--items", "xlsx"), "parquet or jsonl, not 'xlsx'"),
        (("-m", "bleu", "-m", "bleu"), "asked for twice"),
        ((), "no metric was named"),
    ],
)
def test_wrong_requests_are_refused_before_anything_is_written(cli, items, tmp_path, options, words):
    assert words in cli("score", items, *options, "-o", "out").refused()
    assert [child.name for child in tmp_path.iterdir()] == [items.name]


def test_files_that_are_none(cli, items, tmp_path):
    assert "none.jsonl: there is no such file" in cli("score", "none.jsonl", "-m", "bleu").refused()
    assert "is a directory, not a regular file" in cli("score", tmp_path, "-m", "bleu").refused()
    assert f"name the files in it: {items}" in cli("score", tmp_path, "-m", "bleu").refused()
    assert "none.jsonl: there is no such file" in cli("score", items, "none.jsonl", "-m", "bleu").refused()
    assert "no file was given" in cli("score", "-m", "bleu").refused()
    assert [child.name for child in tmp_path.iterdir()] == [items.name]


def test_too_few_groups_are_refused_alike_by_every_engine(cli, tmp_path):
    path = write(tmp_path / "one.jsonl", ROWS[:1])
    said = {cli("score", path, "-m", "bleu", "-m", "cider", "--engine", e).refused() for e in ("serial", "processes:2")}
    assert len(said) == 1
    assert "at least 2 groups" in said.pop()
    assert [child.name for child in tmp_path.iterdir()] == [path.name]
