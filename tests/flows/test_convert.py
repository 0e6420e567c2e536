"""convert between formats: without loss, whole or not at all."""

from itertools import pairwise

import pytest

from dialometer.contracts.convert import ConvertRequest
from dialometer.core.errors import DataError, UnknownName, UsageError
from dialometer.core.registry import create
from dialometer.core.types import Dialogue, Example, Turn
from dialometer.data import open_items
from dialometer.flows.convert import convert

EXAMPLES = [
    Example(
        "a", (Turn("", "hi"), Turn("u", "yo", vote=1)), "x", ("r", "s"), "m", "g", {"q": (1, None)}, ("p", "q"), {"n": 1}
    ),
    Example("b", (), "line\nbreak", ()),
]
DIALOGUES = [
    Dialogue("d", "bot", (Turn("user", "hi"), Turn("bot", "yo"), Turn("user", "so")), "g", {"q": (3,)}, extra={"n": [1]})
]


def run(tmp_path, items, form, **request):
    source = tmp_path / "in.jsonl"
    create("format", "jsonl").write(items, source)
    return convert(ConvertRequest((str(source),), str(tmp_path / "out"), format_out=form, **request))


@pytest.mark.parametrize(
    ("form", "items"),
    [(form, EXAMPLES) for form in ("jsonl", "csv", "tsv", "parquet", "dstc10")]
    + [(form, DIALOGUES) for form in ("jsonl", "csv", "tsv", "parquet", "chat")],
)
def test_nothing_is_lost(form, items, tmp_path):
    done = run(tmp_path, items, form)
    assert (done.n, done.format_in, done.format_out) == (len(items), "jsonl", form)
    assert list(open_items(tmp_path / "out", format=form)) == items


def test_parallel_names_all_that_would_be_lost(tmp_path):
    with pytest.raises(DataError) as caught:
        run(tmp_path, EXAMPLES, "parallel")
    assert "no place for: id, context, system, group, ratings, raters, extra, line breaks" in caught.value.message
    assert "2 such cases" in caught.value.message
    assert "--lossy" in caught.value.hint
    assert not (tmp_path / "out").exists()
    assert run(tmp_path, EXAMPLES, "parallel", lossy=True).n == 2
    assert (tmp_path / "out").read_bytes() == b"x\nline break\n"
    assert (tmp_path / "out.ref2").read_bytes() == b"s\n\n"


def test_parallel_wants_equal_numbers_of_references(tmp_path):
    hyp = tmp_path / "out"
    items = [Example("out:1", (), "x", ("r",)), Example("out:2", (), "y", ())]
    with pytest.raises(DataError, match="has 0 references where the first item has 1"):
        run(tmp_path, items, "parallel")
    assert not hyp.exists()


@pytest.mark.parametrize(("form", "items"), [("chat", EXAMPLES), ("dstc10", DIALOGUES), ("parallel", DIALOGUES)])
def test_kinds_that_do_not_fit(form, items, tmp_path):
    """What does give fits: examples as they are, of conversations the replies of the system."""
    with pytest.raises(DataError, match=f"{form} has no place for"):
        run(tmp_path, items, form)
    replies = sum(1 for item in items for _ in item.examples()) if items is DIALOGUES else len(items)
    assert run(tmp_path, items, form, lossy=True).n == replies


def test_parallel_in(tmp_path):
    for name, text in (("hyp.txt", "a\nb\n"), ("r1", "c\nd\n"), ("r2", "e\nf\n")):
        (tmp_path / name).write_text(text)
    references = (str(tmp_path / "r1"), str(tmp_path / "r2"))
    output = tmp_path / "out.parquet"
    convert(ConvertRequest((str(tmp_path / "hyp.txt"),), str(output), "parallel", references=references))
    assert list(open_items(output)) == [Example("hyp:1", (), "a", ("c", "e")), Example("hyp:2", (), "b", ("d", "f"))]


def test_builder_with_placeholders(tmp_path):
    (tmp_path / "dialogues_text.txt").write_text("Call 555 . __eou__ See www.x.org __eou__\n")
    output = tmp_path / "dd.jsonl.gz"
    done = convert(ConvertRequest((str(tmp_path),), str(output), builder="dailydialog", placeholders=("url", "number")))
    (dialogue,) = open_items(output)
    assert [turn.text for turn in dialogue.turns] == ["Call <number> .", "See <url>"]
    assert (done.n, done.format_in, done.format_out) == (1, "dailydialog", "jsonl")


def test_input_may_be_the_output(tmp_path):
    path = tmp_path / "a.jsonl"
    create("format", "jsonl").write(EXAMPLES, path)
    convert(ConvertRequest((str(path),), str(path)))
    assert list(open_items(path)) == EXAMPLES


def test_several_files_and_formats(tmp_path):
    create("format", "csv").write(EXAMPLES[:1], tmp_path / "a.csv")
    create("format", "parquet").write(EXAMPLES[1:], tmp_path / "b.parquet")
    done = convert(ConvertRequest((str(tmp_path / "a.csv"), str(tmp_path / "b.parquet")), str(tmp_path / "c.jsonl")))
    assert done.format_in == "csv, parquet"
    assert list(open_items(tmp_path / "c.jsonl")) == EXAMPLES


def test_requests_that_cannot_be_carried_out(tmp_path):
    path = str(tmp_path / "a.jsonl")
    create("format", "jsonl").write(EXAMPLES, tmp_path / "a.jsonl")
    with pytest.raises(UsageError, match="no file was given"):
        convert(ConvertRequest((), "x.jsonl"))
    with pytest.raises(UsageError, match="no output was named"):
        convert(ConvertRequest((path,), ""))
    with pytest.raises(UsageError, match="which format to write"):
        convert(ConvertRequest((path,), "x.out"))
    with pytest.raises(UnknownName, match="did you mean csv"):
        convert(ConvertRequest((path,), "x", format_out="cvs"))
    with pytest.raises(UsageError, match="belong to parallel text"):
        convert(ConvertRequest((path,), "x.csv", references=(path,)))
    with pytest.raises(UsageError, match="a builder"):
        convert(ConvertRequest((path,), "x.csv", format_in="csv", builder="reddit"))


@pytest.mark.real_data
def test_real_file_through_all_tables(shared_data, tmp_path):
    source = shared_data("turns/usr_topicalchat.jsonl.gz")
    steps = [source, *(tmp_path / f"usr.{form}" for form in ("parquet", "csv", "tsv")), tmp_path / "usr.jsonl.gz"]
    for before, after in pairwise(steps):
        assert convert(ConvertRequest((str(before),), str(after))).n == 360
    assert list(open_items(steps[-1])) == list(open_items(source))
