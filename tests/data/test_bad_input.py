"""Every way a file can be wrong: one sentence with file, place and count, and a way out; never another exception."""

import gzip
import os
import random

import pytest

from dialometer.core.errors import DataError, DialometerError, UsageError
from dialometer.core.registry import create
from dialometer.core.types import Example
from dialometer.data import open_items
from dialometer.data import row_errors as limits_module
from dialometer.data.formats.detect import detect

GOOD = b'{"id":"ok","response":"x"}\n'
BAD_LINES = {  # name: two or more flawed lines of the same kind → what the message must say, what the hint must say
    "not json": (b'{"id":"a",\n{"id":"b",\n', "not JSON", "--from"),
    "not an object": (b"[1]\n7\n", "not an object", "response"),
    "no response": (b'{"id":"a","text":"x","reply":1}\n{"id":"b"}\n', "fields found: reply, text", "response"),
    "response type": (b'{"id":"a","response":5}\n{"id":"b","response":null}\n', "'response' must be text", "response"),
    "context type": (
        b'{"id":"a","response":"","context":5}\n{"id":"b","response":"","context":{}}\n',
        "'context' must be",
        "context",
    ),
    "turn type": (b'{"id":"a","turns":[5]}\n{"id":"b","turns":[null]}\n', "a turn of turns must be", "turns"),
    "turns type": (b'{"id":"a","turns":"x"}\n{"id":"b","turns":null}\n', "'turns' must be a list", "turns"),
    "turn text": (b'{"id":"a","turns":[{"speaker":"x"}]}\n{"id":"b","turns":[{"text":3}]}\n', "'text' of a turn", "text"),
    "references": (
        b'{"id":"a","response":"","references":5}\n{"id":"b","response":"","reference":{}}\n',
        "'references' must",
        "refer",
    ),
    "reference": (
        b'{"id":"a","response":"","references":[1]}\n{"id":"b","response":"","references":["x",null]}\n',
        "a ref",
        "a ref",
    ),
    "empty reference": (
        b'{"id":"a","response":"x","references":["r",""]}\n{"id":"b","response":"x","reference":" "}\n',
        "reference is empty",
        "--allow-empty-references",
    ),
    "rating NaN": (
        b'{"id":"a","response":"x","ratings":{"q":[NaN]}}\n{"id":"b","response":"x","ratings":{"q":[-Infinity]}}\n',
        "NaN or Infinity",
        "null",
    ),
    "rating overflow": (
        b'{"id":"a","response":"x","ratings":{"q":[1e999]}}\n{"id":"b","response":"x","ratings":{"q":[-1e999]}}\n',
        "NaN or Infinity",
        "null",
    ),
    "rating beyond reason": (
        b'{"id":"a","response":"x","ratings":{"q":[1e308]}}\n{"id":"b","response":"x","ratings":{"q":[-1e200]}}\n',
        "too large to be one",
        "null",
    ),
    "rating text": (
        b'{"id":"a","response":"x","ratings":{"q":["5"]}}\n{"id":"b","response":"x","ratings":{"q":true}}\n',
        "not a finite number",
        "null",
    ),
    "ratings type": (
        b'{"id":"a","response":"x","ratings":[1]}\n{"id":"b","response":"x","ratings":5}\n',
        "'ratings' must be",
        "ratings",
    ),
    "raters": (
        b'{"id":"a","response":"","ratings":{"q":[1,2]},"raters":[3]}\n{"response":"","ratings":{"q":1},"raters":["p","q"]}\n',
        "raters",
        "one value (or null) per rater",
    ),
    "raters type": (
        b'{"id":"a","response":"x","raters":"p"}\n{"id":"b","response":"x","raters":0}\n',
        "'raters' must be a list",
        "raters",
    ),
    "id type": (b'{"id":[1],"response":"x"}\n{"id":true,"response":"x"}\n', "'id' must be", "id"),
    "system type": (
        b'{"id":"a","response":"x","system":[1]}\n{"id":"b","response":"x","system":{}}\n',
        "'system' must",
        "system",
    ),
    "utf-8": (b'{"id":"a","response":"\xff"}\n{"id":"b","response":"caf\xe9"}\n', "not UTF-8", "iconv"),
    "surrogate": (b'{"id":"a","response":"\\ud800"}\n{"id":"b","response":"\\ud83d x"}\n', "surrogate", "replace"),
    "deep": (b"[" * 5000 + b"\n" + b"[" * 5000 + b"\n", "not JSON", "--from"),
    "long": (
        b'{"id":"a","response":"' + b"x" * 5000 + b'"}\n' + b" " * 2000 + b"\n",
        "longer than 1000 bytes",
        "--max-line",
    ),
    "extra twice": (
        b'{"id":"a","response":"x","n":1,"extra":{"n":2}}\n{"id":"b","response":"x","n":1,"extra":{"n":1}}\n',
        "again inside 'extra'",
        "keep one",
    ),
}


@pytest.mark.parametrize("packed", [False, True])
@pytest.mark.parametrize("name", BAD_LINES)
def test_bad_lines(name, packed, tmp_path):
    lines, what, hint = BAD_LINES[name]
    path = tmp_path / "bad.jsonl"
    content = GOOD + lines + GOOD.replace(b"ok", b"ok2")
    path.write_bytes(gzip.compress(content) if packed else content)
    with pytest.raises(DataError) as caught:
        list(open_items(path, max_line=20_000 if name == "deep" else 1000))
    error = caught.value
    assert str(error).startswith(f"{path}:2")
    assert what in error.message
    assert "(2 such cases" in error.message
    assert hint in error.hint
    assert "\n" not in error.message


def test_the_item_is_named(tmp_path):
    path = tmp_path / "bad.jsonl"
    path.write_bytes(GOOD + b'{"id":"the-one","response":null}\n')
    with pytest.raises(DataError, match=r"bad.jsonl:2 \(the-one\)"):
        list(open_items(path))


def test_counting_stops(tmp_path, monkeypatch):
    path = tmp_path / "bad.jsonl"
    path.write_bytes(b"x\n" * 1500)
    with pytest.raises(DataError, match="1000 or more such cases"):
        list(open_items(path))
    monkeypatch.setattr(limits_module, "MAX_SCAN", 10)
    with pytest.raises(DataError, match="11 or more such cases"):
        list(open_items(path))


def test_other_flaws_are_not_counted(tmp_path):
    path = tmp_path / "bad.jsonl"
    path.write_bytes(b"x\n" + b'{"id":"a"}\n' * 3 + b"y\n")
    with pytest.raises(DataError, match="2 such cases"):
        list(open_items(path))


def test_duplicate_ids_name_both_lines(tmp_path):
    one, two = tmp_path / "one.jsonl", tmp_path / "two.jsonl"
    one.write_bytes(b'{"id":"a","response":"x"}\n\n{"id":"b","response":"x"}\n')
    two.write_bytes(
        b'{"id":"c","response":"x"}\n{"id":"b","response":"y"}\n{"id":"a","response":"y"}\n{"id":"c","response":"z"}\n'
    )
    with pytest.raises(DataError) as caught:
        list(open_items([one, two]))
    assert str(caught.value).startswith(f"{two}:2 (b): has the same id as {one}:3 (3 such cases")
    assert caught.value.hint


def test_equal_hashes_are_no_duplicates(tmp_path, monkeypatch):
    path = tmp_path / "a.jsonl"
    path.write_bytes(b'{"id":"a","response":"x"}\n{"id":"b","response":"x"}\n')
    monkeypatch.setattr("dialometer.data.reader.hash", lambda _: 7, raising=False)
    assert len(list(open_items(path))) == 2


def test_missing_ids_come_from_file_and_line(tmp_path):
    path = tmp_path / "a.jsonl.gz"
    path.write_bytes(gzip.compress(b'\n{"response":"x"}\n{"id":null,"response":"y"}\n{"id":"","response":""}'))
    assert [item.id for item in open_items(path)] == ["a:2", "a:3", "a:4"]


@pytest.mark.parametrize("name", ["a.jsonl", "a.csv", "a.tsv", "a.parquet", "a.json", "a", "a.jsonl.gz"])
def test_empty_file(name, tmp_path):
    (tmp_path / name).write_bytes(gzip.compress(b"") if name.endswith("gz") else b"")
    with pytest.raises(DataError, match=r"holds no rows|is empty|not a readable parquet") as caught:
        list(open_items(tmp_path / name))
    assert str(tmp_path / name) in str(caught.value)
    assert caught.value.hint


@pytest.mark.parametrize("content", [b"id,response\n", b"\n\n", b"[]", b"[\n]\n"])
def test_no_rows(content, tmp_path):
    path = tmp_path / ("a.csv" if b"," in content else "a.jsonl")
    path.write_bytes(content)
    with pytest.raises(DataError, match="holds no rows"):
        list(open_items(path))


def test_missing_file_directory_and_unknown_format(tmp_path):
    with pytest.raises(DataError, match="no such file") as caught:
        open_items(tmp_path / "none.jsonl")
    assert "ls" in caught.value.hint
    (tmp_path / "b.jsonl").write_bytes(GOOD)
    with pytest.raises(DataError, match="is a directory") as caught:
        open_items(tmp_path)
    assert "b.jsonl" in caught.value.hint
    with pytest.raises(UsageError, match="no format named 'jsnl'; did you mean jsonl"):
        open_items(tmp_path / "b.jsonl", format="jsnl")
    (tmp_path / "notes.txt").write_bytes(b"some text\n")
    with pytest.raises(UsageError, match="cannot tell the format") as caught:
        detect(tmp_path / "notes.txt")
    assert "--hyp" in caught.value.hint
    with pytest.raises(DataError, match="no such file"):
        open_items("nul\0byte.jsonl")
    os.mkfifo(tmp_path / "pipe.jsonl")
    with pytest.raises(DataError, match="not a regular file"):
        open_items(tmp_path / "pipe.jsonl")
    with pytest.raises(UsageError, match="no file"):
        open_items([])
    with pytest.raises(UsageError, match="lets nothing in"):
        open_items(tmp_path / "b.jsonl", max_line=0)


@pytest.mark.parametrize("cut", [1, 9, 30, 200])
def test_truncated_gzip(cut, tmp_path):
    chance = random.Random(cut)
    path = tmp_path / "a.jsonl.gz"
    rows = b"".join(b'{"id":"%d","response":"%s"}\n' % (i, chance.randbytes(30).hex().encode()) for i in range(200))
    path.write_bytes(gzip.compress(rows)[:-cut])
    with pytest.raises(DataError, match="gzip data ends too early") as caught:
        list(open_items(path))
    assert caught.value.line > 0
    assert "gzip -t" in caught.value.hint


def test_damaged_gzip_and_utf16(tmp_path):
    packed = bytearray(gzip.compress(GOOD * 50))
    packed[-6] ^= 0xFF
    (tmp_path / "a.jsonl.gz").write_bytes(packed)
    with pytest.raises(DataError, match="damaged"):
        list(open_items(tmp_path / "a.jsonl.gz"))
    (tmp_path / "b.jsonl").write_bytes(GOOD.decode().encode("utf-16"))
    with pytest.raises(DataError, match="UTF-16") as caught:
        list(open_items(tmp_path / "b.jsonl"))
    assert "iconv" in caught.value.hint


def test_gzip_is_told_by_content(tmp_path):
    (tmp_path / "packed.jsonl").write_bytes(gzip.compress(GOOD))
    (tmp_path / "plain.jsonl.gz").write_bytes(b"\xef\xbb\xbf" + GOOD.replace(b"ok", b"ok2"))
    assert len(list(open_items([tmp_path / "packed.jsonl", tmp_path / "plain.jsonl.gz"]))) == 2


BAD_TABLES = {
    "cells": (b"id,response\na,x\nb\nc,x,y\n", 3, "cells where the header has 2", "quotes", 2),
    "quotes": (b'id,response\na,"x"y\nb,"z"w\n', 2, "cannot be cut into cells", "double", 2),
    "open quote": (b'id,response\na,x\nb,"x\n', 3, "cannot be cut into cells", "double", 1),
    "no response": (b"id,reply\na,x\n", 1, "columns found: id, reply", "response", 1),
    "twice": (b"id,response,response\na,x,y\n", 1, "twice", "rename", 1),
    "nan": (b"id,response,rating:q\na,x,nan\nb,x,inf\nc,x,5\n", 2, "not a finite number", "null", 2),
    "not a number": (b"id,response,ratings.q\na,x,good\n", 2, "not a finite number", "null", 1),
    "utf-8": (b"id,response\na,x\nb,\xff\nc,x\nd,\xfe\n", 3, "not UTF-8", "iconv", 2),
    "turns": (b"id,turns\na,hello\n", 2, "'turns' must be a list", "turns", 1),
    "long": (b"id,response\na," + b"x" * 2000 + b"\n", 2, "longer than 1000 bytes", "--max-line", 1),
    "ratings": (b"id,response,ratings,rating:q\na,x,5,5\n", 2, "'ratings' must be", "ratings", 1),
}


@pytest.mark.parametrize("name", BAD_TABLES)
@pytest.mark.parametrize("ending", ["csv", "tsv"])
def test_bad_tables(name, ending, tmp_path):
    content, line, what, hint, count = BAD_TABLES[name]
    path = tmp_path / f"bad.{ending}"
    path.write_bytes(content.replace(b",", b"\t") if ending == "tsv" else content)
    with pytest.raises(DataError) as caught:
        list(open_items(path, max_line=1000))
    assert str(caught.value).startswith(f"{path}:{line}")
    assert what in caught.value.message
    assert hint in caught.value.hint
    assert caught.value.count == count


def test_bad_elements_of_an_array(tmp_path):
    path = tmp_path / "bad.json"
    path.write_bytes(b'[{"id":"a","response":"x"}, 5, {"id":"b","response":"x"}, "x"]')
    with pytest.raises(DataError, match=r"bad.json \(element 2\): is JSON but not an object: 5 \(2 such cases"):
        list(open_items(path))
    path.write_bytes(b'[{"id":"a","response":"x"}, {"id":"b","respon')
    with pytest.raises(DataError, match="element 2"):
        list(open_items(path))
    path.write_bytes(b'[{"id":"a","response":"x"}')
    with pytest.raises(DataError, match="never closed"):
        list(open_items(path))


@pytest.mark.parametrize(
    ("content", "what"),
    [
        (b'{"messages":[{"content":"x"}]}\n', "'role'"),
        (b'{"messages":[{"role":"user","content":5}]}\n', "'content' must be"),
        (b'{"messages":5}\n', "fields found: messages"),
        (b'{"turns":[]}\n', "fields found: turns"),
        (b"5\n", "not an object"),
    ],
)
def test_bad_chats(content, what, tmp_path):
    path = tmp_path / "bad.jsonl"
    path.write_bytes(content * 2)
    with pytest.raises(DataError, match="2 such cases") as caught:
        list(open_items(path, format="chat"))
    assert what in caught.value.message
    assert caught.value.hint


def test_parallel_lengths(tmp_path):
    hyp, one, two = (tmp_path / name for name in ("hyp.txt", "one.txt", "two.txt"))
    hyp.write_bytes(b"a\nb\nc\n")
    one.write_bytes(b"a\nb\nc\n")
    two.write_bytes(b"a\n")
    with pytest.raises(DataError) as caught:
        list(open_items([hyp, one, two], format="parallel"))
    assert f"{two} ends before line 2" in caught.value.message
    assert "2 such cases" in caught.value.message
    assert "wc -l" in caught.value.hint
    two.write_bytes(b"a\n\nc\n")
    with pytest.raises(DataError, match=r"hyp.txt:2 .*reference is empty"):
        list(open_items([hyp, one, two], format="parallel"))
    kept = list(open_items([hyp, one, two], format="parallel", allow_empty_references=True))
    assert kept[1] == Example("hyp:2", (), "b", ("b", ""))
    two.write_bytes(b"a\n\xff\nc\n")
    with pytest.raises(DataError, match=r"two.txt is not UTF-8"):
        list(open_items([hyp, one, two], format="parallel"))


def test_not_parquet(tmp_path):
    path = tmp_path / "a.parquet"
    path.write_bytes(GOOD)
    with pytest.raises(DataError, match="not a readable parquet"):
        list(open_items(path))


def test_parquet_rows(tmp_path):
    import polars as pl

    path = tmp_path / "a.parquet"
    pl.DataFrame({"id": ["a", "b", "c"], "response": ["x", None, None]}).write_parquet(path)
    with pytest.raises(DataError, match=r"row 2, b\): the row has no 'response' .*2 such cases"):
        list(open_items(path))
    pl.DataFrame({"id": ["a"], "response": ["x"], "ratings.q": [float("nan")]}).write_parquet(path)
    with pytest.raises(DataError, match="not a finite number"):
        list(open_items(path))
    pl.DataFrame({"id": ["a"], "response": ["x"], "ratings": [3.5]}).write_parquet(path)
    with pytest.raises(DataError, match="'ratings' must be"):
        list(open_items(path))


@pytest.mark.parametrize("form", ["jsonl", "csv", "parquet", "dstc10", "parallel"])
def test_unwritable_output(form, tmp_path):
    items = [Example("a", (), "x")]
    with pytest.raises(UsageError, match="its folder does not exist") as caught:
        create("format", form).write(items, tmp_path / "none" / "out")
    assert "mkdir -p" in caught.value.hint
    (tmp_path / "folder").mkdir()
    with pytest.raises(UsageError, match="it is a directory"):
        create("format", form).write(items, tmp_path / "folder")
    assert [entry.name for entry in tmp_path.iterdir()] == ["folder"]


@pytest.mark.parametrize("form", ["jsonl", "csv", "parquet", "dstc10", "parallel"])
def test_a_failure_leaves_the_old_file(form, tmp_path):
    path = tmp_path / "out"
    path.write_bytes(b"old")

    def broken():
        yield Example("a", (), "x")
        raise DialometerError("stop")

    with pytest.raises(DialometerError, match="stop"):
        create("format", form).write(broken(), path)
    assert path.read_bytes() == b"old"
    assert [entry.name for entry in tmp_path.iterdir()] == ["out"]
