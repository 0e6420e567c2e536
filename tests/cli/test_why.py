"""The why command: one response under every variant, with its arithmetic."""

import json
from pathlib import Path

import pytest

from dialometer.core.registry import create, names
from dialometer.flows.demo.corpus import sample_path
from tests.cli.conftest import ROWS, write


def test_every_variant_is_shown_with_its_recipe(cli, items):
    done = cli("why", items, "--id", "a1", "-m", "bleu")
    assert (done.code, done.err) == (0, "")
    lines = done.out.splitlines()
    assert lines[:4] == ["context    hi", "response   i like tea", "reference  i like green tea", "reference  tea"]
    for variant in create("metric", "bleu").variants:
        assert f"bleu|variant:{variant}|" in done.out
    assert "refs:2" in done.out


def test_a_named_variant_is_shown_alone(cli, items):
    done = cli("why", items, "--id", "a1", "-m", "bleu(variant=coco)", "--tok", "whitespace", "--json")
    (only,) = json.loads(done.out)["explanations"]
    assert only["recipe"].startswith("bleu|variant:coco")
    assert "tok:whitespace-1" in only["recipe"]


def test_json_is_one_object(cli, items):
    done = cli("why", items, "--id", "b1", "-m", "rouge", "-m", "meteor(variant=nltk)", "--json")
    assert (done.code, done.err, done.out.count("\n")) == (0, "", 1)
    shown = json.loads(done.out)
    assert shown["id"] == "b1"
    assert [e["recipe"].split("|")[0] for e in shown["explanations"]] == ["rouge", "rouge", "meteor"]
    assert all(e["lines"] and all(type(line) is str for line in e["lines"]) for e in shown["explanations"])


def test_the_arithmetic_ends_in_the_score_of_the_item(cli, items, tmp_path):
    cli("score", items, "-m", "bleu(variant=coco)", "--items", "jsonl", "-o", "r")
    row = json.loads((tmp_path / "r" / "scores.jsonl").read_text().splitlines()[0])
    done = cli("why", items, "--id", "a1", "-m", "bleu(variant=coco)")
    assert f"{row['bleu-1']:.6f}" in done.out
    assert f"{row['bleu-2']:.6f}" in done.out


@pytest.mark.parametrize("metric", names("metric"))
def test_every_metric_explains_or_says_that_it_does_not(cli, metric):
    text = Path(__file__).parents[1] / "exam" / "talk.txt"
    spec = f"{metric}(text={text})" if "text" in create("metric", metric).needs else metric
    done = cli("why", sample_path(), "--id", "tea-careful", "-m", spec)
    if done.code == 0:
        assert f"\n{metric}|" in done.out
    else:  # a judge that could show it has to be trained first
        said = (f"{metric} does not show its arithmetic", f"dialometer train {metric}")
        assert any(words in done.refused() for words in said)


def test_the_collection_counts_for_cider(cli, items, tmp_path):
    """Document frequencies come from all of the system's references, not from the one response."""
    done = cli("why", items, "--id", "a1", "-m", "cider(variant=d)")
    assert done.code == 0, done.err
    alone = write(tmp_path / "alone.jsonl", ROWS[:1])
    assert "at least 2" in cli("why", alone, "--id", "a1", "-m", "cider(variant=d)").refused()


@pytest.mark.parametrize(("typed", "offered"), [("a11", "a1"), ("A2", "a2"), ("b-1", "b1")])
def test_an_unknown_id_is_offered_the_nearest(cli, items, typed, offered):
    said = cli("why", items, "--id", typed, "-m", "bleu").refused()
    assert f"there is no item named '{typed}'; did you mean" in said
    assert offered in said.split("did you mean")[1]
    assert str(items) in said


def test_an_id_like_no_other_does_not_print_all_of_them(cli, tmp_path):
    path = write(tmp_path / "many.jsonl", [{"id": f"item-{k:06d}", "response": "x"} for k in range(5000)])
    said = cli("why", path, "--id", "ZZZ", "-m", "length").refused()
    assert "there is no item named 'ZZZ'" in said
    assert "item-000000, item-000001," in said
    assert "(5000 in all)" in said
    assert len(said) < 1000


def test_references_are_needed_only_where_they_are(cli, tmp_path):
    path = write(tmp_path / "x.jsonl", [{"id": "a", "response": "i like tea"}])
    said = cli("why", path, "--id", "a", "-m", "bleu").refused()
    assert "bleu needs a reference, and a has none" in said
    assert "--without reference" in said
    done = cli("why", path, "--id", "a", "-m", "distinct")
    assert done.code == 0, done.err
    assert "3 kinds among 3" in done.out
    assert "reference" not in done.out


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("--id", "a1"), "no metric was named"),
        (("-m", "bleu"), "--id"),
        (("--id", "a1", "-m", "blue"), "did you mean bleu"),
        (("--id", "a1", "-m", "bleu(variant=x)"), "variant of bleu"),
        (("--id", "a1", "-m", "bleu", "--tok", "wrods"), "did you mean words"),
    ],
)
def test_wrong_requests(cli, items, arguments, words):
    assert words in cli("why", items, *arguments).refused()


def test_bad_rows_before_the_item_are_refused(cli, tmp_path):
    path = tmp_path / "bad.jsonl"
    path.write_text('{"id":"x"}\n{"id":"y","response":"a"}\n')
    assert f"{path}:1 (x)" in cli("why", path, "--id", "y", "-m", "length").refused()
