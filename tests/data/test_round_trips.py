"""What is written in a format and read again is equal, for every format that can hold it."""

from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dialometer.core.errors import DataError
from dialometer.core.registry import create
from dialometer.core.types import Dialogue, Example, Turn
from dialometer.data import open_items
from dialometer.data.conversion_losses import fitting
from dialometer.data.formats.parallel import MARK, Parallel, reference_file
from tests.data.strategies import dialogues, examples, lists_of, text

often = settings(max_examples=80, derandomize=True, deadline=None)
ENDINGS = {"chat": "jsonl", "dstc10": "json"}


def back(form: str, items: list, packed: bool) -> list:
    """Through a file and out again."""
    with TemporaryDirectory() as folder:
        path = Path(folder) / f"items.{ENDINGS.get(form, form)}{'.gz' if packed else ''}"
        made = create("format", form)
        assert made.write(fitting(items, made, path), path) == len(items)
        return list(open_items(path, format=form if form in ENDINGS else None))


@often
@given(lists_of(examples() | dialogues()), st.booleans())
def test_jsonl(items, packed):
    assert back("jsonl", items, packed) == items


@pytest.mark.parametrize("form", ["csv", "tsv", "parquet"])
@often
@given(items=lists_of(examples()) | lists_of(dialogues()), packed=st.booleans())
def test_tables(form, items, packed):
    assert back(form, items, packed and form != "parquet") == items


@often
@given(lists_of(examples()), st.booleans())
def test_dstc10(items, packed):
    assert back("dstc10", items, packed) == items


@often
@given(lists_of(dialogues()), st.booleans())
def test_chat(items, packed):
    assert back("chat", items, packed) == items


line = text.filter(lambda said: "\n" not in said and not said.endswith("\r") and not said.startswith(MARK))
pairs = st.integers(0, 2).flatmap(
    lambda width: st.lists(
        st.tuples(line, st.lists(line.filter(str.strip), min_size=width, max_size=width)), min_size=1, max_size=4
    )
)


@often
@given(pairs)
def test_parallel(rows):
    with TemporaryDirectory() as folder:
        path = Path(folder) / "hyp.txt"
        items = [Example(f"hyp:{at}", (), said, tuple(refs)) for at, (said, refs) in enumerate(rows, 1)]
        Parallel().write(fitting(items, Parallel(), path), path)
        files = [path, *(reference_file(path, k + 1) for k in range(len(items[0].references)))]
        assert list(open_items(files, format="parallel")) == items


def test_chat_gives_back_parts_and_tool_calls(tmp_path):
    path, again = tmp_path / "a.jsonl", tmp_path / "b.jsonl"
    parts = '[{"type":"text","text":"look"},{"type":"image_url","image_url":{"url":"x"}},{"type":"text","text":"here"}]'
    call = '{"role":"assistant","content":null,"tool_calls":[{"id":"c1"}]}'
    path.write_text(f'[{{"role":"user","content":{parts}}},{call},{{"role":"assistant","content":"ok","name":"bot"}}]\n')
    (dialogue,) = open_items(path)
    assert dialogue.id == "a:1"
    assert [turn.text for turn in dialogue.turns] == ["look\nhere", "", "ok"]
    create("format", "chat").write([dialogue], again)
    assert list(open_items(again)) == [dialogue]
    assert parts.encode() in again.read_bytes()
    assert b'"content":null' in again.read_bytes()


@pytest.mark.parametrize(
    "content",
    [
        '[{"role":"user","content":"hi"},{"role":"assistant","content":"yo"}]\n',
        '[\n {"role":"user","content":"hi"},\n {"role":"assistant","content":"yo"}\n]\n',
        '[[{"role":"user","content":"hi"},{"role":"assistant","content":"yo"}]]',
        '{"messages":[{"role":"user","content":"hi"},{"role":"assistant","content":"yo"}]}',
        '{\n "messages": [\n {"role":"user","content":"hi"},\n {"role":"assistant","content":"yo"}]\n}',
        '[{"messages":[{"role":"user","content":"hi"},{"role":"assistant","content":"yo"}]}]',
    ],
)
def test_chat_in_every_layout(tmp_path, content):
    path = tmp_path / "chat.json"
    path.write_text(content)
    assert list(open_items(path)) == [Dialogue("chat:1", "", (Turn("user", "hi"), Turn("assistant", "yo")))]


def test_dstc10_context_of_lines_and_array_over_many_lines(tmp_path):
    path, again = tmp_path / "dev.json", tmp_path / "again.json"
    path.write_text(
        '[\n{\n"dialogue_id": "d1", "model": "m", "context": "hi ]\\nyo \\"", "response": "r",\n"reference": ["a"],'
        '"annotations": {"overall": [1, null]}, "seed": 3},\n{"dialogue_id": 2, "model": null, "context": ["x"],'
        '"response": "", "reference": "b", "annotations": {}}]'
    )
    items = list(open_items(path))
    assert items == [
        Example(
            "d1", (Turn("", "hi ]"), Turn("", 'yo "')), "r", ("a",), "m", ratings={"overall": (1, None)}, extra={"seed": 3}
        ),
        Example("2", (Turn("", "x"),), "", ("b",)),
    ]
    create("format", "dstc10").write(items, again)
    assert list(open_items(again)) == items


def test_source_key_makes_the_group_and_is_written_once(tmp_path):
    path, again = tmp_path / "a.jsonl", tmp_path / "b.jsonl"
    path.write_text('{"id":1,"context":"hi","response":"yo","context_id":7,"system":null,"ratings":{"q":3}}\n')
    (item,) = open_items(path)
    assert item == Example("1", (Turn("", "hi"),), "yo", group="7", ratings={"q": (3,)}, extra={"context_id": 7})
    create("format", "jsonl").write([item], again)
    assert b"group" not in again.read_bytes()
    assert list(open_items(again)) == [item]


def test_plain_csv_as_people_write_it(tmp_path):
    path = tmp_path / "sheet.csv"
    path.write_bytes(
        b"\xef\xbb\xbfid,context,response,reference,rating:overall,ratings.fluency,note\r\n"
        b'1,"[laughs] hi, you","a ""b""\r\nc",ref,4.5,"[1,null]",x\r\n2,,,,,,\r\n'
    )
    first, second = open_items(path)
    ratings = {"overall": (4.5,), "fluency": (1, None)}
    assert first == Example(
        "1", (Turn("", "[laughs] hi, you"),), 'a "b"\r\nc', ("ref",), ratings=ratings, extra={"note": "x"}
    )
    assert second == Example("2", (), "", extra={"note": ""})


def test_foreign_parquet(tmp_path):
    import datetime

    import polars as pl

    path = tmp_path / "frame.parquet"
    frame = {"id": [1, 2], "context": [["a", "b"], []], "response": ["x", "y"], "reference": ["r", None]}
    pl.DataFrame(
        {
            **frame,
            "ratings": [{"q": [1.0, None]}, {"q": None}],
            "day": [datetime.date(2020, 1, 2)] * 2,
            "score": [float("nan"), 1.5],
        }
    ).write_parquet(path)
    first, second = open_items(path)
    assert first.context == (Turn("", "a"), Turn("", "b"))
    assert first.ratings == {"q": (1.0, None)}
    assert first.references == ("r",)
    assert first.extra == {"day": "2020-01-02", "score": None}
    assert (second.references, second.ratings, second.extra["score"]) == ((), {}, 1.5)


@pytest.mark.parametrize("form", ["csv", "tsv", "parquet"])
def test_tables_refuse_a_mixture(form, tmp_path):
    items = [Example("e", (), "x"), Dialogue("d", "", ())]
    with pytest.raises(Exception, match="cannot hold both"):
        create("format", form).write(items, tmp_path / "out")
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("form", ["jsonl", "csv", "parquet", "dstc10"])
def test_half_a_surrogate_cannot_be_written_and_leaves_nothing(form, tmp_path):
    with pytest.raises(DataError, match="cannot be written"):
        create("format", form).write([Example("fine", (), "x"), Example("bad", (), "\ud800")], tmp_path / "out")
    assert not list(tmp_path.iterdir())
