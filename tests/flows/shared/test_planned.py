"""Planned comparisons: p is adjusted over them alone, in meta and in compare."""

import numpy as np
import pytest

from dialometer.contracts.compare import CompareRequest
from dialometer.core.errors import UnknownName, UsageError
from dialometer.flows.compare.compare import compare
from dialometer.stats.testing.multiple import holm
from tests.flows.rated import rated_rows, run_meta, write_rows


@pytest.fixture
def rated(tmp_path):
    return write_rows(tmp_path / "rated.jsonl", rated_rows())


def test_meta_adjusts_over_the_planned_pairs_alone(tmp_path, rated):
    planned = ("bleu-1,rouge-l", "length-only,rouge-l")
    options = {"quality": ("overall",), "level": ("item",)}
    metrics = ("bleu(order=2)", "rouge(kinds=l)")
    report = run_meta(tmp_path, rated, metrics, planned=planned, **options)
    for kind in ("pearson", "spearman"):
        rows = [row for row in report.to_json()["better"] if row["kind"] == kind]
        own = [row for row in rows if row["planned"]]
        assert {frozenset((row["a"], row["b"])) for row in own} == {frozenset(pair.split(",")) for pair in planned}
        np.testing.assert_allclose([row["p_holm"] for row in own], holm(np.array([row["p"] for row in own])))
        assert len(rows) == 6
        for row in rows:
            assert row["planned"] or (row["p_holm"] is None or np.isnan(row["p_holm"]))
            assert row["p"] == row["p"]
    said = report.summary
    assert sum(sentence.startswith("Planned: ") for sentence in said) == 4
    assert "p is adjusted over 2 planned comparisons; every other comparison is exploratory and has no adjusted p." in said
    free = run_meta(tmp_path, rated, metrics, name="free", **options)
    both = [
        {
            (row["a"], row["b"]): row["p_holm"]
            for row in one.to_json()["better"]
            if row["test"] == "williams" and row["planned"]
        }
        for one in (report, free)
    ]
    assert all(both[0][pair] <= both[1][pair] for pair in both[0])
    assert sum(both[0].values()) < sum(both[1][pair] for pair in both[0])


@pytest.mark.parametrize("text", ["rouge-l", "rouge-l,", ",", "rouge-l,rouge-l"])
def test_what_is_no_pair_is_refused(tmp_path, rated, text):
    with pytest.raises(UsageError, match="planned comparison"):
        run_meta(tmp_path, rated, ("rouge(kinds=l)",), planned=(text,))


def test_a_column_that_is_not_there_is_refused_with_those_that_are(tmp_path, rated):
    with pytest.raises(UnknownName, match="bleu-9") as error:
        run_meta(tmp_path, rated, ("rouge(kinds=l)",), planned=("bleu-9,rouge-l",))
    assert "rouge-l" in error.value.hint


def test_compare_adjusts_over_the_planned_pairs_alone(tmp_path, rated):
    request = {"metrics": ("length",), "permutations": 200, "resamples": 50}
    found = compare(
        CompareRequest((rated,), planned=("s0,s4", "s1,s3"), output=str(tmp_path / "planned"), **request)
    ).to_json()
    rows = found["pairs"]
    own = [row for row in rows if row["planned"]]
    assert {(row["a"], row["b"]) for row in own} == {("s0", "s4"), ("s1", "s3")}
    np.testing.assert_allclose([row["p_holm"] for row in own], holm(np.array([row["p"] for row in own])))
    others = [row for row in rows if not row["planned"]]
    assert len({(row["a"], row["b"]) for row in others}) == 8
    assert all(row["p_holm"] is None or np.isnan(row["p_holm"]) for row in others)
    assert sum("s0 is " in sentence or sentence.startswith("s0 and s4") for sentence in found["conclusions"]) == 1
    assert found["conclusions"][-1].startswith("Exploratory, with no adjusted p and nothing claimed: s0 and s1;")


def test_compare_refuses_a_planned_pair_that_is_not_made(tmp_path, rated):
    with pytest.raises(UnknownName, match="nobody"):
        compare(CompareRequest((rated,), metrics=("length",), planned=("s0,nobody",), output=str(tmp_path / "a")))
    with pytest.raises(UsageError, match="not among the comparisons"):
        compare(CompareRequest((rated,), metrics=("length",), planned=("s0,s1",), against="s2", output=str(tmp_path / "b")))
