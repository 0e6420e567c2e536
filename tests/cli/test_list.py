"""The list command: what there is, narrowed by need, as text and as JSON."""

import dataclasses
import json

import pytest

from dialometer.core.registry import create, names
from dialometer.flows.list import kinds


def test_metrics_are_the_default(cli):
    done = cli("list")
    assert (done.code, done.err) == (0, "")
    assert done.out == cli("list", "metrics").out
    shown = [line.split()[0] for line in done.out.splitlines() if not line.startswith(" ")]
    assert shown == names("metric")
    assert "variants: sacrebleu, coco, nltk-m1, parlai, plain" in done.out


@pytest.mark.parametrize("kind", kinds())
def test_every_kind_is_listed_and_says_what_it_is(cli, kind):
    done = cli("list", kind, "--json")
    assert (done.code, done.err, done.out.count("\n")) == (0, "", 1)
    rows = json.loads(done.out)[kind]
    assert [row["name"] for row in rows] == names(kind[:-1])
    assert all(len(row["about"]) > 10 for row in rows)
    text = cli("list", kind).out
    assert all(f"{row['name']} " in text for row in rows)


@pytest.mark.parametrize("need", ["reference", "context"])
def test_without_keeps_those_that_need_it_not(cli, need):
    rows = json.loads(cli("list", "metrics", "--without", need, "--json").out)["metrics"]
    wanted = [name for name in names("metric") if need not in create("metric", name).needs]
    assert [row["name"] for row in rows] == wanted
    assert "length" in wanted


def test_without_something_unknown_is_not_everything(cli):
    assert "did you mean reference" in cli("list", "metrics", "--without", "refrence").refused()


@pytest.mark.parametrize("metric", names("metric"))
def test_one_metric_with_its_options(cli, metric):
    (row,) = json.loads(cli("list", "metrics", metric, "--json").out)["metrics"]
    made = create("metric", metric)
    assert row["columns"] == list(made.columns)
    assert row["needs"] == sorted(made.needs)
    assert all(getattr(made, option) == value for option, value in row["options"].items())
    assert row["options"].keys() == {f.name for f in dataclasses.fields(made) if f.repr}
    shown = cli("list", "metrics", metric).out
    assert all(f"{option}=" in shown for option in row["options"])


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("metric",), "did you mean metrics"),
        (("tokenizers",), "did you mean tokenisers"),
        (("metrics", "blue"), "did you mean bleu"),
        (("metrcs", "bleu"), "did you mean metrics"),
        (("engines", "seriel"), "did you mean serial"),
    ],
)
def test_unknown_things_are_offered_the_nearest(cli, arguments, words):
    assert words in cli("list", *arguments).refused()
