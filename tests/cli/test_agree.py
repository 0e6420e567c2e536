"""The agree command: what it prints, where, and what it says when raters cannot be compared."""

import json
import re

import pytest

from tests.cli.conftest import write
from tests.flows.rated import rated_rows

QUICK = ("--resamples", 100)


@pytest.fixture
def rated(tmp_path):
    return write(tmp_path / "rated.jsonl", rated_rows())


def changed(tmp_path, change):
    """The rated rows after ``change(number, row)`` of each."""
    rows = rated_rows()
    for number, row in enumerate(rows):
        change(number, row)
    return write(tmp_path / "changed.jsonl", rows)


def one_each(number, row):
    """One judgement per item, by four people in turn."""
    row["ratings"], row["raters"] = {"overall": row["ratings"]["overall"][:1]}, [f"r{number % 4}"]


def test_json_is_one_object_and_nothing_else(spawn, rated):
    done = spawn("agree", rated, "--json", *QUICK)
    assert (done.code, done.err) == (0, "")
    assert done.out.count("\n") == 1
    shown = json.loads(done.out)
    assert shown["run"].startswith("runs/agree-")
    assert shown["quality"] == "overall"
    assert shown["alpha"] == shown["qualities"]["overall"]["alpha"]["value"]
    assert list(shown["qualities"]) == ["overall", "fluent"]
    assert shown["kappa"]["median"] == shown["qualities"]["overall"]["kappa"]["median"]
    assert list(shown["kappa"]["pairs"]) == ["0.2", "0.3", "0.4", "0.5", "0.6", "0.7", "0.8"]
    assert list(shown["raters"]) == ["r0", "r1", "r2", "r3"]
    for rater in shown["raters"].values():
        assert {"n", "kappa", "kept"} <= rater.keys()
        assert rater["n"] == 120  # sixty items, two qualities


def test_the_table_has_a_line_per_quality_and_ends_with_the_report(cli, rated, tmp_path):
    done = cli("agree", rated, "-o", "r", *QUICK)
    assert (done.code, done.err) == (0, "")
    head, overall, fluent, *_, last = done.out.splitlines()
    assert head.split()[:3] == ["quality", "judgements", "items"]
    assert overall.split()[:3] == ["overall", "240", "60"]
    assert fluent.split()[:3] == ["fluent", "240", "60"]
    alpha, low, high = map(float, re.search(r"(-?[\d.]+) \[(-?[\d.]+), (-?[\d.]+)\]", overall).groups())
    assert low < alpha < high
    assert last == "report: r/report.html"
    assert (tmp_path / "r" / "report.html").exists()
    assert cli("agree", rated, "-o", "r", *QUICK).out == done.out  # reprinted


def test_quiet_says_nothing_and_does_the_work(cli, rated, tmp_path):
    done = cli("agree", rated, "-o", "r", "--quiet", *QUICK)
    assert (done.code, done.out, done.err) == (0, "", "")
    assert (tmp_path / "r" / "labels.csv").exists()


def test_options_come_from_a_file_too(cli, rated, tmp_path):
    (tmp_path / "x.toml").write_text('quality = ["fluent"]\nweights = "linear"\nresamples = 50\n')
    shown = json.loads(cli("agree", rated, "--config", "x.toml", "--json").out)
    assert (list(shown["qualities"]), shown["weights"]) == (["fluent"], "linear")


def same_for_all(number, row):
    row["ratings"] = {"overall": [3, 3, 3, 3]}


def one_rater(number, row):
    row["ratings"], row["raters"] = {"overall": row["ratings"]["overall"][:1]}, ["r0"]


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (same_for_all, "overall: agreement cannot be computed"),
        (one_rater, "all 60 judgements with a name are of one (r0)"),
        (one_each, "no two raters judged the same item"),
    ],
)
def test_what_cannot_be_computed_is_null_with_a_sentence(cli, tmp_path, change, words):
    file = changed(tmp_path, change)
    done = cli("agree", file, *QUICK)
    assert (done.code, done.err) == (0, "")
    assert words in done.out
    overall = next(line for line in done.out.splitlines() if line.startswith("overall "))
    assert overall.count("–") >= 5
    assert not re.search(r"\b[01]\.000", overall)
    shown = json.loads(cli("agree", file, "--json", *QUICK).out)
    assert shown["alpha"] is None
    assert shown["kappa"]["median"] is None
    assert "NaN" not in json.dumps(shown)


def test_raters_without_names_have_alpha_and_no_kappa(cli, tmp_path):
    file = changed(tmp_path, lambda number, row: row.update(raters=[]))
    shown = json.loads(cli("agree", file, "--json", *QUICK).out)
    assert shown["alpha"] > 0.3
    assert shown["kappa"]["median"] is None
    assert shown["raters"] == {}
    assert "not a fixed person" in shown["why"]
    assert "not a fixed person" in cli("agree", file, *QUICK).out


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ((), "no file was given"),
        (("nowhere.jsonl",), "no such file"),
        (("rated.jsonl", "-q", "funny"), "-q one of: overall, fluent"),
        (("rated.jsonl", "--scale", "1,4"), "a rating of 5 is outside the scale 1…4"),
        (("rated.jsonl", "--scale", "5,1"), "--scale 1,5"),
        (("rated.jsonl", "--weights", "cubic"), "quadratic, linear or none"),
        (("rated.jsonl", "--min-kappa", "7"), "--min-kappa is -1 to 1, not 7"),
        (("rated.jsonl", "--flagged", "rude=true"), "rude=true"),
        (("rated.jsonl", "--flagged", "rude"), "key=value"),
        (("rated.jsonl", "--where", "colour=red"), "no field named 'colour'"),
        (("rated.jsonl", "--resamples", "-1"), "--resamples is 0 to 1000000, not -1"),
        (("bare.jsonl",), "holds no ratings"),
        (("rated.jsonl", "--ratings", "strangers.csv"), "rates none of these 60 items"),
        (("strangers.csv", "--where", "system=s0"), "--where speaks of items"),
    ],
)
def test_refusals_have_a_way_out_and_leave_nothing(cli, rated, tmp_path, arguments, words):
    bare = [{key: value for key, value in row.items() if key not in ("ratings", "raters")} for row in rated_rows()]
    write(tmp_path / "bare.jsonl", bare)
    (tmp_path / "strangers.csv").write_text("item,rater,value\nx,ann,1\ny,ann,2\n")
    assert words in cli("agree", *arguments, "-o", "r").refused()
    assert not (tmp_path / "r").exists()


def test_how_many_ratings_are_outside_and_which_is_first(cli, tmp_path):
    def too_high(number, row):
        if number in (4, 9, 11):
            row["ratings"]["overall"][1] = 7

    said = cli("agree", changed(tmp_path, too_high), "--scale", "1,5").refused()
    assert "c0-s4: a rating of 7 is outside the scale 1…5 (overall) (3 such cases; this is the first)" in said
