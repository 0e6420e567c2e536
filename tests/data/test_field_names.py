"""Names of columns and fields as people write them, in every format; what is not read is told of or refused."""

import json
import logging

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from dialometer.core.errors import DataError
from dialometer.core.types import Turn
from dialometer.data import open_items


@pytest.fixture
def table(tmp_path):
    """A callable: format, rows → items, through a file of that format."""

    def read(form, *rows):
        path = tmp_path / f"x.{form}"
        if form == "jsonl":
            path.write_text("".join(json.dumps(row) + "\n" for row in rows))
        elif form == "parquet":
            pq.write_table(pa.Table.from_pylist(list(rows)), path)
        else:
            import csv

            with path.open("w", newline="") as file:
                out = csv.writer(file, delimiter="," if form == "csv" else "\t")
                out.writerow(rows[0])
                out.writerows(row.values() for row in rows)
        return list(open_items(path))

    return read


FORMATS = ("csv", "tsv", "parquet", "jsonl")


def texts(turns):
    return [turn.text for turn in turns]


@pytest.mark.parametrize("form", FORMATS)
def test_a_context_in_one_text_has_one_turn_per_line(table, form):
    (item,) = table(form, {"context": "Hi.\nHello.\r\n\nTea?", "response": "Yes.\nPlease."})
    assert texts(item.context) == ["Hi.", "Hello.", "Tea?"]
    assert item.response == "Yes.\nPlease."


@pytest.mark.parametrize("form", ["csv", "tsv"])
@pytest.mark.parametrize("cell", ['["Hi.\\nHello.", "Tea?"]', "['Hi.\\nHello.', 'Tea?']", "['Hi.\\nHello.', \"Tea?\",]"])
def test_a_context_may_be_a_list_in_json_or_as_python_prints_it(table, form, cell):
    (item,) = table(form, {"context": cell, "response": "Yes."})
    assert texts(item.context) == ["Hi.\nHello.", "Tea?"]


def test_turns_may_be_printed_by_python(table):
    (item,) = table("csv", {"turns": str([{"speaker": "user", "text": "it's"}, {"speaker": "bot", "text": "no"}])})
    assert item.turns == (Turn("user", "it's"), Turn("bot", "no"))


@pytest.mark.parametrize("cell", ["[sighs]", "[laughs] well [sighs]", "['", "[1, 2]", "{'a': 1}", "['a' + 'b']"])
def test_text_in_brackets_is_text(table, cell):
    (item,) = table("csv", {"context": cell, "response": "Yes."})
    assert texts(item.context) == [cell]


@pytest.mark.parametrize(
    ("cell", "what"),
    [("['Hi.' 'Tea?']", "printed array"), ('["Hi.", null]', "something else"), ('["Hi.", 7]', "something else")],
)
def test_a_cell_whose_texts_cannot_be_told_apart_is_refused(table, cell, what):
    with pytest.raises(DataError, match=rf"x\.csv:2: .*{what}"):
        table("csv", {"context": cell, "response": "Yes."})


@pytest.mark.parametrize("form", FORMATS)
@pytest.mark.parametrize("names", ["reference{}", "reference_{}", "Reference {}", "ref_{}", "ref{}", "references.{}"])
def test_numbered_references_are_references_in_their_order(table, form, names):
    row = {names.format(k): text for k, text in ((10, "ten"), (2, ""), (1, "one"), (3, "three"))}
    (item,) = table(form, {"response": "Yes.", **row})
    assert item.references == ("one", "three", "ten")
    assert item.extra == {}


@pytest.mark.parametrize("form", FORMATS)
def test_numbered_references_come_after_those_in_a_field_of_their_own(table, form):
    (item,) = table(form, {"response": "Yes.", "reference": "zero", "reference1": "one"})
    assert item.references == ("zero", "one")


def test_no_reference_is_lost_beside_an_empty_list(table):
    (item,) = table("jsonl", {"response": "Yes.", "references": [], "reference": "one"})
    assert item.references == ("one",)


@pytest.mark.parametrize("form", FORMATS)
@pytest.mark.parametrize("response", ["Response", "RESPONSE", "hypothesis", "prediction", "hyp"])
def test_other_spellings_of_known_names(table, form, response):
    row = {"ID": "a", "Context": "Hi.\nTea?", response: "Yes.", "Ref": "no", "System": "bot", "Group": "g"}
    (item,) = table(form, row)
    assert (item.id, texts(item.context), item.response, item.references) == ("a", ["Hi.", "Tea?"], "Yes.", ("no",))
    assert (item.system, item.group, item.extra) == ("bot", "g", {})


@pytest.mark.parametrize("form", FORMATS)
def test_a_known_name_goes_before_another_spelling(table, form):
    (item,) = table(form, {"response": "Yes.", "prediction": "No."})
    assert (item.response, item.extra) == ("Yes.", {"prediction": "No."})


@pytest.mark.parametrize("form", FORMATS)
def test_two_fields_that_could_be_the_response_are_refused(table, form):
    with pytest.raises(DataError, match="'hypothesis' and 'Prediction' could both be 'response'") as caught:
        table(form, {"hypothesis": "Yes.", "Prediction": "No."})
    assert "name one of them 'response'" in caught.value.hint


@pytest.mark.parametrize("form", FORMATS)
@pytest.mark.parametrize("prefix", ["rating:", "ratings.", "rating.", "ratings:"])
def test_ratings_in_fields_of_their_own(table, form, prefix):
    (item,) = table(form, {"response": "Yes.", f"{prefix}overall": 4, f"{prefix}fluent": 2})
    assert dict(item.ratings) == {"overall": (4,), "fluent": (2,)}


@pytest.mark.parametrize("form", FORMATS)
def test_a_misspelt_response_is_refused_with_its_name(table, form):
    with pytest.raises(DataError, match="no 'response'") as caught:
        table(form, {"id": "a", "respons": "Yes."})
    assert caught.value.hint == "rename 'respons'"


@pytest.mark.parametrize("form", FORMATS)
def test_a_field_named_almost_like_one_that_is_missing_is_told_of_once(table, form, caplog):
    caplog.set_level(logging.WARNING)
    rows = [{"response": "Yes.", "contex": "Hi.", "refrences": "no", "content": "x"}] * 3
    assert all(item.extra == {"contex": "Hi.", "refrences": "no", "content": "x"} for item in table(form, *rows))
    assert [record.getMessage().partition(": ")[2] for record in caplog.records] == [
        "the field 'contex' is not read, and there is no 'context'; rename it if it is meant",
        "the field 'refrences' is not read, and there is no 'references'; rename it if it is meant",
    ]


def test_nothing_is_said_where_the_known_field_is_there(table, caplog):
    table("jsonl", {"response": "Yes.", "context": ["Hi."], "contexs": "Hi.", "references": ["no"], "refrences": "x"})
    assert caplog.records == []


def test_what_followed_and_who_speaks_are_read_from_plain_cells(table):
    (item,) = table("csv", {"response": "Yes.", "after": "Milk?\nSugar?", "own": "bot"})
    assert (texts(item.after), item.own, item.extra) == (["Milk?", "Sugar?"], ("bot",), {})
