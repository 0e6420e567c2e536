"""The stress command: what it prints, promises and refuses."""

import json

import pytest

from dialometer.text.perturb import PERTURBATIONS
from tests.cli.conftest import ROWS, write


def test_json_is_the_promised_form(cli, items):
    done = cli("stress", items, "-m", "bleu", "-m", "distinct", "--json")
    assert (done.code, done.err) == (0, "")
    assert done.out.count("\n") == 1
    assert "NaN" not in done.out
    shown = json.loads(done.out)
    assert shown["run"].startswith("runs/stress-")
    assert {"metric", "perturbation", "delta", "low", "high"} <= shown["rows"][0].keys()
    assert len(shown["rows"]) == 8 * len(PERTURBATIONS)
    assert {row["perturbation"] for row in shown["rows"]} == set(PERTURBATIONS) == set(shown["perturbations"])
    empty = next(row for row in shown["rows"] if (row["metric"], row["perturbation"]) == ("bleu-1", "empty"))
    assert (empty["n"], empty["changed"], empty["scored"], empty["expected"]) == (4, 3, 3, "drop")
    assert empty["low"] <= empty["delta"] <= empty["high"] < 0


def test_the_table_is_readable(cli, items, tmp_path):
    done = cli("stress", items, "-m", "bleu", "-m", "length", "-m", "distinct", "-o", "r")
    assert (done.code, done.err) == (0, "")
    lines = done.out.splitlines()
    assert lines[0].split()[:5] == ["perturbation", "a", "human", "changed", "bleu-1"]
    empty = next(line for line in lines if line.startswith("empty"))
    assert empty.split()[1:3] == ["drop", "3"]
    assert "✓" in empty
    assert any(line.startswith("✓ as a human: ") for line in lines)
    silent = done.out.split("without a mark")[1]
    assert "words, chars" in silent
    assert "distinct-1" in silent
    assert lines[-1] == "4 items → r/report.html"
    assert max(map(len, lines)) <= 132
    assert (tmp_path / "r" / "report.html").exists()
    assert cli("stress", items, "-m", "bleu", "-m", "length", "-m", "distinct", "-o", "r").out == done.out


def test_a_sample_says_so_and_quiet_says_nothing(cli, items):
    assert cli("stress", items, "-m", "length", "--limit", "3").out.splitlines()[-1].startswith("3 items of 4, drawn by id")
    assert cli("stress", items, "-m", "length", "--quiet").out == ""


def test_options_from_a_file(cli, items, tmp_path):
    (tmp_path / "s.toml").write_text('metrics = ["length"]\nperturb = ["empty"]\nlimit = 2\n')
    shown = json.loads(cli("stress", items, "--config", "s.toml", "--json").out)
    assert {row["perturbation"] for row in shown["rows"]} == {"empty"}
    assert shown["n"] == 2


def test_help_names_every_perturbation_under_what_is_expected(cli):
    shown = cli("stress", "--help").out
    group = ""
    found = {}
    for line in shown.split("what a careful human would do:")[1].split("Examples:")[0].splitlines():
        for expected in ("no better", "rise", "same", "drop"):
            if line.strip().startswith(expected):
                group, line = expected, line.strip().removeprefix(expected)
        found |= {name.strip(): group for name in line.split(",") if name.strip()}
    assert found == {name: p.expected for name, p in PERTURBATIONS.items()}


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["-m", "bleu", "--perturb", "negate"], "did you mean negated"),
        (["-m", "bleu", "--perturb", "zzz"], "there are: copy-context"),
        (["-m", "blue"], "did you mean bleu"),
        ([], "no metric was named"),
        (["-m", "bleu", "--limit", "-3"], "--limit is 0"),
        (["-m", "bleu", "--engine", "boat"], "boat"),
        (["-m", "bleu", "--tok", "none"], "none"),
        (["-m", "bleu", "--resamples", "-1"], "--resamples"),
    ],
)
def test_wrong_requests_are_refused(cli, items, arguments, said):
    assert said in cli("stress", items, *arguments).refused()


def test_wrong_files_are_refused(cli, tmp_path):
    assert "no file was given" in cli("stress", "-m", "bleu").refused()
    assert "no such file" in cli("stress", "gone.jsonl", "-m", "bleu").refused()
    broken = tmp_path / "broken.jsonl"
    broken.write_text('{"id": "a", "response": "tea"}\n{"id": ')
    assert "broken.jsonl:2" in cli("stress", broken, "-m", "length").refused()
    bare = write(tmp_path / "bare.jsonl", [{"id": row["id"], "response": "tea"} for row in ROWS])
    assert "needs a reference" in cli("stress", bare, "-m", "bleu").refused()
    assert (
        "none of 4 items can be changed by negated" in cli("stress", bare, "-m", "length", "--perturb", "negated").refused()
    )
    assert not (tmp_path / "runs").exists()
