"""The verb power: what it prints, and what it says when it cannot."""

import json

import pytest

from tests.cli.conftest import write
from tests.flows.power.test_power import rows

QUICK = ("--items", "20,80", "--raters", "1,3,9", "--simulations", "200")


@pytest.fixture
def rated(tmp_path):
    return write(tmp_path / "rated.jsonl", rows())


def test_prints_a_table_and_where_the_picture_is(cli, rated):
    done = cli("power", rated, "--effect", "0.5", "-o", "runs/p", *QUICK)
    assert done.code == 0, done.err
    lines = done.out.splitlines()
    assert lines[0].startswith("a difference of 0.5 points (")
    assert lines[1].split() == ["raters", "20", "80", "items", "for", "80%"]
    assert [line.split()[0] for line in lines[2:5]] == ["1", "3", "9*"]
    assert lines[5].startswith("* too few items")
    assert "240 ratings of 80 items" in done.out
    assert lines[-1] == "power.png, power.csv and power.json → runs/p"
    assert cli("power", rated, "--effect", "0.5", "-o", "runs/p", *QUICK).out == done.out


def test_the_difference_of_the_data_comes_with_a_caution(cli, rated):
    done = cli("power", rated, "--a", "a", "--b", "b", "--paired", *QUICK)
    assert "between a and b in overall, paired" in done.out
    assert "may well be too small" in done.out


def test_json_is_one_object(cli, rated):
    found = json.loads(cli("power", rated, "--effect", "0.4sd", "--json", *QUICK).out)
    assert set(found) >= {"run", "quality", "goal", "systems", "metrics"}
    assert found["metrics"] is None
    assert set(found["systems"]["cells"][0]) == {"items", "raters", "power", "low", "high", "method"}
    assert set(found["systems"]["needed"]) == {"1", "3", "9"}


def test_metrics_and_a_file_of_options(cli, rated, tmp_path):
    lines = [f"{row['id']},{sum(row['ratings']['overall'])},{number % 7}" for number, row in enumerate(rows())]
    (tmp_path / "s.csv").write_text("\n".join(["id,good,bad", *lines]) + "\n")
    (tmp_path / "x.toml").write_text('metric = ["good", "bad"]\nscores = "s.csv"\nitems = "20,40"\n')
    done = cli("power", rated, "--config", "x.toml")
    assert done.code == 0, done.err
    assert done.out.startswith("good (1.000) or bad (")
    assert "Williams' test" in done.out
    assert cli("power", rated, "--config", "x.toml", "--quiet").out == ""


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        ((), "no file was given"),
        (("rated.jsonl",), "what difference"),
        (("none.jsonl", "--effect", "1"), "none.jsonl"),
        (("rated.jsonl", "--effect", "much"), "an effect is a number"),
        (("rated.jsonl", "--effect", "1", "--items", "2"), "each 4 to 1000000"),
        (("rated.jsonl", "--effect", "1", "-q", "nothing"), "no quality named 'nothing'"),
        (("rated.jsonl", "--effect", "1", "--a", "x", "--b", "y"), "no system named 'x'"),
        (("bare.jsonl", "--effect", "1"), "holds no ratings"),
    ],
)
def test_refusals_finish_the_sentence(cli, rated, tmp_path, arguments, says):
    write(tmp_path / "bare.jsonl", [{"id": "1", "response": "hi"}])
    assert says in cli("power", *arguments).refused()
