"""What a comparison of two systems shows: each number once, what never differs untested, one picture and one table."""

import csv
import math
import re
from dataclasses import replace

import numpy as np
import pytest

from dialometer.contracts.compare import CompareRequest
from dialometer.core.types import Example
from dialometer.flows.compare.columns import Columns
from dialometer.flows.compare.compare import compare
from dialometer.flows.compare.conclusions import conclusions
from dialometer.flows.compare.dialogues import Piece, Talks
from dialometer.flows.compare.pairs import compare_pairs
from dialometer.metrics.conversation import COLUMNS
from tests.flows.played import played

OPTIONS = {"against": "", "test": "mean", "resamples": 50, "permutations": 0, "seed": 0}


def talks(units=8, shared=True):
    """Two systems that answer the same contexts, or each its own."""
    pieces = [
        Piece(Example(f"{system}{k}", (), "tea", system=system), f"{k}" if shared else f"{system}{k}", f"{system}{k}", 0)
        for system in "ab"
        for k in range(units)
    ]
    return Talks(tuple(pieces))


def table_of(own, a, b):
    return own.spread(np.array([*a, *b], float))


@pytest.mark.parametrize("shared", [True, False])
def test_a_column_that_never_differs_is_no_test(shared):
    own, rng = talks(shared=shared), np.random.default_rng(0)
    moving = {f"m{k}": table_of(own, rng.normal(size=8) + 1, rng.normal(size=8)) for k in range(3)}
    still = {"replies": table_of(own, [5] * 8, [5] * 8)}
    rows = compare_pairs(own, Columns(moving | still), {}, **OPTIONS)
    alone = compare_pairs(own, Columns(moving), {}, **OPTIONS)
    assert [row.p_holm for row in rows[:3]] == [row.p_holm for row in alone]
    assert (rows[3].same, math.isnan(rows[3].contrast.p), math.isnan(rows[3].p_holm)) == (True, True, True)
    assert not any(row.same for row in rows[:3])
    (said,) = conclusions(rows, {}, noun="response")
    assert "the same in both, and not tested: replies" in said


def test_pairs_may_vary_and_be_the_same():
    own = talks()
    (row,) = compare_pairs(own, Columns({"x": table_of(own, range(8), range(8))}), {}, **OPTIONS)
    assert row.same
    apart = talks(shared=False)
    (row,) = compare_pairs(apart, Columns({"x": table_of(apart, range(8), range(8))}), {}, **OPTIONS)
    assert not row.same
    assert row.contrast.p == pytest.approx(1)


def rows_of(columns, p):
    own, rng = talks(), np.random.default_rng(1)
    found = compare_pairs(
        own,
        Columns({f"c{k}": table_of(own, rng.normal(size=8) + k, rng.normal(size=8)) for k in range(columns)}),
        {},
        **OPTIONS,
    )
    return [replace(row, p_holm=value) for row, value in zip(found, p, strict=True)]


def test_many_columns_are_counted_and_few_are_named():
    (said,) = conclusions(rows_of(24, [0.01, *[1.0] * 23]), {}, noun="response")
    assert "no difference is shown in the other 23 columns; 8 responses each" in said
    (said,) = conclusions(rows_of(24, [1.0] * 24), {}, noun="response")
    assert said.startswith("a and b: no difference is shown in 24 columns;")
    (said,) = conclusions(rows_of(3, [0.01, 1.0, 1.0]), {}, noun="response")
    assert "no difference is shown in c1, c2;" in said
    (said,) = conclusions(rows_of(24, [0.01] * 24), {}, noun="response")
    assert len(re.findall(r"c\d+ by", said)) <= 12
    assert "more columns" in said


@pytest.fixture(scope="module")
def page(tmp_path_factory):
    """Two bots by what is measured unless somebody names something else."""
    place = tmp_path_factory.mktemp("page")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(place)
        played("one", "eliza", n=6, turns=4)
        played("two", "parrot", n=6, turns=4)
        found = compare(CompareRequest(("one", "two"), resamples=50, output="both")).results
    return place / "both", found


def test_no_number_is_tested_under_two_names(page):
    _, found = page
    tested = [row["metric"] for row in found["pairs"]]
    assert {"turn-words", "distinct-1"} <= set(tested)
    assert not {"words", "chars"} & set(tested)
    assert set(tested) - set(COLUMNS) == {name for name in tested if name.startswith("distinct")}


def test_two_systems_have_one_picture_and_one_table(page):
    folder, found = page
    figures = [path.name for path in (folder / "figures").iterdir() if not path.name.startswith("turns-")]
    assert figures == ["difference-effects.svg"]
    with (folder / "tables" / "tests-difference.csv").open(encoding="utf-8", newline="") as sheet:
        rows = list(csv.DictReader(sheet))
    assert [row["column"] for row in rows] == [row["metric"] for row in found["pairs"]]
    replies = next(row for row in rows if row["column"] == "replies")
    assert (replies["p"], replies["p (Holm)"]) == ("", "")
    html = (folder / "report.html").read_text(encoding="utf-8")
    assert "eliza less parrot: d_z of each column" in html
    drawing = (folder / "figures" / "difference-effects.svg").read_text(encoding="utf-8")
    assert 'class="zero"' in drawing
    with (folder / "tables" / "means.csv").open(encoding="utf-8", newline="") as sheet:
        assert [row["column"] for row in csv.DictReader(sheet)] == [row["metric"] for row in found["pairs"]]


def test_what_counts_words_is_akin_to_a_re_ranker_by_length(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    bots = ("eliza", 'rerank(bots="eliza;parrot",metric=length)')
    found = compare(CompareRequest(bots, n=3, turns=2, resamples=0, metrics=("conversation",))).results
    assert [row["metric"] for row in found["pairs"] if row["depends"] == "akin"] == ["turn-words"]
