"""Judgements, preferences, scores and factors from files: read whole, or refused with the place and the way out."""

import json

import numpy as np
import pytest

from dialometer.core.errors import DataError
from dialometer.core.types import Example
from dialometer.data import open_items
from dialometer.data.tables.preferences import read_preferences
from dialometer.data.tables.ratings import holds_ratings, ratings_of, read_ratings
from dialometer.data.tables.scores import read_scores
from dialometer.data.tables.systems import read_systems

LONG = (
    "item,rater,quality,value,seconds,check\nx,ann,fun,3,2.5,\nx,bob,fun,4,,\ny,ann,fun,,,\ny,bob,fit,1,,\nc,bob,fun,5,,0\n"
)


def written(tmp_path, name, text):
    path = tmp_path / name
    path.write_text(text, encoding="utf-8")
    return path


def test_a_row_per_judgement(tmp_path):
    path = written(tmp_path, "long.csv", LONG)
    ratings = read_ratings(path)
    assert holds_ratings(path)
    assert (ratings.items, ratings.raters, ratings.qualities) == (("c", "x", "y"), ("ann", "bob"), ("fun", "fit"))
    assert ratings.value.tolist() == [5, 3, 4, 1]  # the empty cell is a rating that was not given
    assert ratings.seconds[1] == 2.5
    assert np.isnan(ratings.seconds[[0, 2, 3]]).all()
    assert ratings.check[0] == 0
    assert ratings.of("fun").value.tolist() == [3, 4]


@pytest.mark.parametrize("form", ["tsv", "jsonl", "parquet"])
def test_the_same_in_every_format(tmp_path, form):
    wanted = read_ratings(written(tmp_path, "long.csv", LONG))
    header, *lines = [line.split(",") for line in LONG.splitlines()]
    path = tmp_path / f"long.{form}"
    if form == "tsv":
        path.write_text(LONG.replace(",", "\t"))
    elif form == "jsonl":
        path.write_text("\n".join(json.dumps({k: v for k, v in zip(header, line, strict=True) if v}) for line in lines))
    else:
        import pyarrow as pa
        import pyarrow.parquet as pq

        columns = {name: [line[at] or None for line in lines] for at, name in enumerate(header)}
        pq.write_table(pa.table(columns), path)
    found = read_ratings(path)
    assert (found.items, found.raters, found.qualities) == (wanted.items, wanted.raters, wanted.qualities)
    for column in ("item", "rater", "quality", "value", "seconds", "check"):
        np.testing.assert_array_equal(getattr(found, column), getattr(wanted, column))


def test_the_order_of_the_file_does_not_matter(tmp_path):
    header, *lines = LONG.splitlines()
    found = read_ratings(written(tmp_path, "back.csv", "\n".join([header, *lines[::-1]])))
    wanted = read_ratings(written(tmp_path, "long.csv", LONG))
    assert (found.items, found.raters) == (wanted.items, wanted.raters)
    np.testing.assert_array_equal(found.value, wanted.value)


def test_a_check_needs_no_quality(tmp_path):
    text = "item,rater,quality,value,check\nprobe,ann,,,1\nx,ann,fun,3,\ny,bob,fit,2,\n"
    ratings = read_ratings(written(tmp_path, "long.csv", text))
    assert ratings.qualities == ("fun", "fit")
    assert ratings.of("fun").value.tolist() == [3]
    assert np.nansum(ratings.check) == 1


@pytest.mark.parametrize(("spelt", "meant"), [("true", 1), ("failed", 0), ("1", 1), ("0.0", 0)])
def test_checks_and_raters_under_the_names_that_people_use(tmp_path, spelt, meant):
    ratings = read_ratings(written(tmp_path, "long.csv", f"item,worker,value,check\nprobe,ann,,{spelt}\nx,ann,3,\n"))
    assert ratings.raters == ("ann",)
    assert np.nansum(ratings.check) == meant


def test_out_of_items():
    items = [
        Example("x", (), "hi", ratings={"fun": (1, None, 3)}, raters=("ann", "bob", "eve")),
        Example("y", (), "ho", ratings={"fun": (2,)}),
        Example("z", (), "he"),
    ]
    ratings = ratings_of(items)
    assert ratings.items == ("x", "y", "z")
    assert ratings.value.tolist() == [1, 3, 2]
    assert [ratings.raters[code] if code >= 0 else None for code in ratings.rater] == ["ann", "eve", None]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("item,value\nx,good\n", r"long.csv:2.*'value' is not a number: 'good'"),
        ("item,value\nx,3\ny,inf\n", r"long.csv:3"),
        ("thing,value\nx,3\n", r"names no item \(columns found: thing, value\)"),
        ("item,value,check\nx,3,7\n", r"long.csv:2 \(x\): 'check' is 7"),
        ("item,value\nx,\n", "holds no rating"),
        ("item,value\nx,9\ny,3\nz,8\n", r"long.csv:2 \(x\): a rating of 9 is outside the scale 1…5 \(2 such cases"),
        ("item,item\nx,9\n", "names the column 'item' twice"),
        ("item,value\nx,1,2\n", "has 3 cells where the header has 2"),
        ("", "is empty"),
    ],
)
def test_judgements_that_cannot_be_read(tmp_path, text, message):
    with pytest.raises(DataError, match=message) as caught:
        read_ratings(written(tmp_path, "long.csv", text), scale=(1, 5))
    assert caught.value.hint


def test_items_outside_the_scale():
    items = [Example("x", (), "hi", ratings={"fun": (0, 3)}), Example("y", (), "ho", ratings={"fun": (7,)})]
    with pytest.raises(DataError, match=r"x: a rating of 0 is outside the scale 1…5 \(fun\) \(2 such cases") as caught:
        ratings_of(items, scale=(1, 5))
    assert "--scale" in caught.value.hint


def test_scores_of_items_and_of_systems(tmp_path):
    key, names, columns = read_scores(written(tmp_path, "s.csv", "id,system,mine\na,s,0.5\nb,s,\n"))
    assert (key, names) == ("id", ("a", "b"))
    np.testing.assert_array_equal(columns["mine"], [0.5, np.nan])
    key, names, columns = read_scores(written(tmp_path, "t.csv", "system,mine,other\ns,1,2\nt,3,4\n"))
    assert (key, names, list(columns)) == ("system", ("s", "t"), ["mine", "other"])


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("name,mine\na,1\n", r"neither an 'id' nor a 'system' column \(columns found: name, mine\)"),
        ("id,mine\na,1\na,2\n", "two rows for the id 'a'"),
        ("id,mine\na,high\n", r"s.csv:2 \(a\): 'mine' is not a number: 'high'"),
        ("id\na\n", "no column of numbers"),
    ],
)
def test_scores_that_cannot_be_read(tmp_path, text, message):
    with pytest.raises(DataError, match=message):
        read_scores(written(tmp_path, "s.csv", text))


def test_columns_that_the_first_row_lacks_are_read_too(tmp_path):
    path = written(tmp_path, "s.jsonl", '{"id": "a", "one": 1}\n{"id": "b", "one": 2, "two": 3}\n')
    columns = read_scores(path)[2]
    np.testing.assert_array_equal(columns["two"], [np.nan, 3])


def test_a_date_is_not_a_number(tmp_path):
    import datetime

    import pyarrow as pa
    import pyarrow.parquet as pq

    path = tmp_path / "s.parquet"
    pq.write_table(pa.table({"id": ["a"], "when": [datetime.date(2020, 1, 1)]}), path)
    with pytest.raises(DataError, match="'when' is not a number"):
        read_scores(path)


def test_preferences_by_side_and_by_name(tmp_path):
    text = "item,a,b,rater,quality,choice\nx,one,two,ann,fun,a\ny,two,one,,fun,one\nz,one,two,bob,fun,tie\n"
    found = read_preferences(written(tmp_path, "p.csv", text))
    assert found.choice.tolist() == [1, -1, 0]
    assert [found.systems[code] for code in found.a] == ["one", "two", "one"]
    assert found.rater.tolist() == [0, -1, 1]


@pytest.mark.parametrize(
    ("row", "message"), [("x,one,two,maybe", "the choice 'maybe' is not a, b, tie"), ("x,one,one,a", "with itself")]
)
def test_preferences_that_cannot_be_read(tmp_path, row, message):
    with pytest.raises(DataError, match=message):
        read_preferences(written(tmp_path, "p.csv", f"item,a,b,choice\n{row}\n"))


def test_factors(tmp_path):
    path = written(tmp_path, "s.toml", '[one]\nmodel = "hred"\nei = true\n[two]\nmodel = "vhred"\nei = false\n')
    assert read_systems(path).factors["one"] == {"model": "hred", "ei": "True"}
    assert read_systems(path).names == ("ei", "model")
    for text, message in [("x = 1", "not a table of factors"), ("[", "not a TOML file"), ("", "names no system")]:
        with pytest.raises(DataError, match=message):
            read_systems(written(tmp_path, "bad.toml", text))


def test_sixty_thousand_real_judgements(shared_data):
    """Counts of the data's README: 10,000 items, 3 judges each, 6 for TeamCE, 317 judges."""
    ratings = ratings_of(open_items(shared_data("turns/dstc7_task2.jsonl.gz")))
    assert (len(ratings.items), len(ratings.raters), len(ratings)) == (10_000, 317, 2 * 33_000)
    assert ratings.named
    assert not ratings_of(open_items(shared_data("turns/zhao_dailydialog.jsonl.gz"))).named
