"""The compare command: what it prints, promises and refuses."""

import csv
import json

import pytest

from tests.cli.conftest import ROWS, write

BOTS = ("--a", "parrot", "--a", 'rerank(bots="parrot;constant",metric=length)', "-n", 5, "--turns", 4)
PAIR = {
    "metric", "a", "b", "paired", "n_a", "n_b", "mean_a", "mean_b", "difference", "low", "high", "effect", "measure",
    "superiority", "p", "p_holm", "test", "depends", "same", "planned",
}  # fmt: skip


def test_json_is_the_promised_form(cli):
    done = cli("compare", *BOTS, "--json")
    assert (done.code, done.err) == (0, "")
    assert done.out.count("\n") == 1
    assert "NaN" not in done.out
    shown = json.loads(done.out)
    assert shown["run"].startswith("runs/compare-")
    assert {"n", "systems", "pairs", "conclusions", "recipes", "human", "study", "play", "independent"} <= shown.keys()
    assert all(row.keys() == PAIR for row in shown["pairs"])
    assert {"mean", "low", "high", "n"} == shown["systems"]["parrot"]["columns"]["turn-words"].keys()
    assert (shown["n"], shown["human"], shown["study"]) == (10, None, None)


def test_the_table_is_readable_and_printed_again(cli, tmp_path):
    done = cli("compare", *BOTS, "-o", "r")
    assert (done.code, done.err) == (0, "")
    lines = done.out.splitlines()
    assert lines[0].split()[:2] == ["mean", "parrot"]
    assert any(line.startswith("turn-words °") and "d_z" in line for line in lines)
    assert "a parrot, b rerank(bots=parrot;constant,metric=length)" in lines
    assert "turn-words is akin to what rerank(bots=parrot;constant,metric=length) chose by" in " ".join(done.out.split())
    assert lines[-1] == "10 conversations of 2 systems → r/report.html"
    assert lines[-2].startswith("conversations: runs/play-")
    assert max(map(len, lines)) <= 124
    assert cli("compare", *BOTS, "-o", "r").out == done.out
    assert "holds another run" in cli("compare", *BOTS, "-o", "r", "-m", "length").refused()
    page = (tmp_path / "r" / "report.html").read_text()
    assert "a parrot, b rerank(bots=parrot;constant,metric=length)" in page
    assert (tmp_path / "r" / "tables" / "tests-difference.csv").exists()
    assert cli("compare", *BOTS, "--quiet").out == ""


def test_a_file_and_options_from_a_file(cli, items, tmp_path):
    assert "eliza and parry: no difference is shown in words, chars" in " ".join(cli("compare", items).out.split())
    (tmp_path / "c.toml").write_text('metrics = ["bleu"]\nagainst = "parry"\npermutations = 99\n')
    shown = json.loads(cli("compare", items, "--config", "c.toml", "--json").out)
    assert {(row["a"], row["b"]) for row in shown["pairs"]} == {("eliza", "parry")}
    assert "bleu-4" in shown["systems"]["eliza"]["columns"]


def test_many_systems_turn_the_table(cli, tmp_path):
    rows = [
        ROWS[0] | {"id": f"{s}{k}", "system": f"a system called {s}", "context": [str(k)]}
        for s in "abcdefg"
        for k in range(3)
    ]
    write(tmp_path / "many.jsonl", rows)
    lines = cli("compare", "many.jsonl", "-m", "length").out.splitlines()
    assert lines[0].split() == ["mean", "words", "chars", "words-difference"]
    assert lines[1].startswith("a system called a")
    assert sum(line.startswith("a a system") for line in lines) == 15
    assert "6 more pairs: --json and report.html have them, --against SYSTEM makes them fewer" in lines


def test_a_study_there_and_back(cli, tmp_path):
    done = cli("compare", *BOTS, "--study", "study", "--checks", 5)
    assert "study: 10 items and 2 attention checks → study" in done.out
    with open(tmp_path / "study" / "sheet.csv", newline="") as file:
        rows = list(csv.DictReader(file))
    checks = json.loads((tmp_path / "study" / "key.json").read_text())["checks"]
    for rater in ("ann", "ben"):
        with open(tmp_path / f"{rater}.csv", "w", newline="") as file:
            made = csv.DictWriter(file, list(rows[0]))
            made.writeheader()
            made.writerows(row | {"rater": rater, "overall": checks.get(row["item"], 3)} for row in rows)
    back = cli("compare", *BOTS, "--study", "study", "--ratings", "ann.csv", "--ratings", "ben.csv")
    assert (back.code, back.err) == (0, "")
    assert "overall: 20 judgements of 10; α –" in back.out
    assert "the same in both, and not tested: overall" in " ".join(back.out.split())
    assert back.out.splitlines()[0] == done.out.splitlines()[0]


def test_help_shows_examples(cli):
    assert "dialometer compare runs/play-1a2b runs/play-3c4d" in cli("compare", "--help").out


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ((), "nothing was named"),
        (("--a", "eliza"), "two systems or more"),
        (("elisa", "parrot"), "did you mean eliza"),
        (("gone.jsonl",), "there is no such run or file"),
        (("items.jsonl", "-m", "blue"), "did you mean bleu"),
        (("items.jsonl", "--test", "t"), "--test is mean or rank"),
        (("items.jsonl", "--against", "elza"), "did you mean eliza"),
        (("items.jsonl", "--study", "items.jsonl"), "is a file"),
        (("items.jsonl", "--ratings", "gone.csv"), "gone.csv"),
        (("items.jsonl", "--ratings", "bad.csv"), "outside the scale"),
        (("items.jsonl", "--weights", "cubic"), "--weights"),
        (("items.jsonl", "--engine", "boat"), "boat"),
        (("items.jsonl", "--seed", str(2**70)), "--seed"),
        (("broken.jsonl",), "broken.jsonl:2"),
        (("--a", "eliza", "--a", "parrot", "-n", "0"), "-n is 1"),
        (("--a", "eliza", "--a", "parrot", "--openers", "gone.txt"), "gone.txt"),
    ],
)
def test_refusals_are_one_sentence_and_leave_nothing(cli, items, tmp_path, arguments, said):
    (tmp_path / "broken.jsonl").write_text('{"id": "a", "response": "tea"}\n{"id": ')
    (tmp_path / "bad.csv").write_text("item,rater,overall\na1,ann,9\n")
    assert said in cli("compare", *arguments).refused()
    assert not (tmp_path / "runs").exists()
