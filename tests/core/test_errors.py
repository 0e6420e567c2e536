"""One tree of errors; every message finishes its sentence."""

import inspect
import pickle

import pytest

from dialometer.core import errors
from dialometer.core.errors import DataError, DialometerError, UnknownName, UsageError

TREE = [value for _, value in inspect.getmembers(errors, inspect.isclass) if issubclass(value, Exception)]


@pytest.mark.parametrize("error", TREE, ids=lambda error: error.__name__)
def test_the_tree_is_drawn_in_the_docstring(error):
    assert issubclass(error, DialometerError)
    assert error.exit_code == 2
    assert error.__name__ in errors.__doc__
    assert error.__doc__


def test_the_hint_is_printed_below_the_message():
    assert str(UsageError("no file", "dialometer score FILE")) == "no file\n  → dialometer score FILE"
    assert str(UsageError("no file")) == "no file"


def test_unknown_name_offers_near_names_or_all():
    assert (
        UnknownName("metric", "roug", ["bleu", "rouge"]).message == "there is no metric named 'roug'; did you mean rouge?"
    )
    assert UnknownName("metric", "ROUGE", ["bleu", "rouge"]).message.endswith("did you mean rouge?")
    assert UnknownName("metric", "zzz", ["b", "a"]).message == "there is no metric named 'zzz'; there are: a, b"
    assert UnknownName("bot", "zzz", []).message.endswith("there are: none")
    assert UnknownName("bot", "zzz", []).hint == "dialometer list bots"
    assert UnknownName("bot", "zzz", [], hint="").hint == ""


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({}, "bad"),
        ({"file": "a.jsonl"}, "a.jsonl: bad"),
        ({"file": "a.jsonl", "line": 3}, "a.jsonl:3: bad"),
        ({"line": 3}, "line 3: bad"),
        ({"item": "x1"}, "x1: bad"),
        ({"file": "a.jsonl", "line": 3, "item": "x1"}, "a.jsonl:3 (x1): bad"),
        ({"file": "a.jsonl", "count": 4}, "a.jsonl: bad (4 such cases; this is the first)"),
        ({"count": 4, "at_least": True}, "bad (4 or more such cases; this is the first)"),
    ],
)
def test_data_errors_say_where_and_how_often(options, message):
    error = DataError("bad", **options)
    assert str(error) == message
    assert (error.what, error.count) == ("bad", options.get("count", 1))


@pytest.mark.parametrize(
    "error",
    [
        UnknownName("metric", "blue", ["bleu"]),
        DataError("is wrong", file="x.jsonl", line=3, item="a", count=2, hint="mend it"),
        UsageError("no", "yes"),
    ],
)
def test_an_error_survives_the_way_home_from_a_worker(error):
    again = pickle.loads(pickle.dumps(error))
    assert type(again) is type(error)
    assert (str(again), again.hint, again.__dict__) == (str(error), error.hint, error.__dict__)


def test_many_names_are_not_all_listed():
    said = str(UnknownName("item", "zzz", [f"item-{k}" for k in range(5000)]))
    assert "(5000 in all)" in said
    assert len(said) < 600
