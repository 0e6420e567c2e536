"""Comparisons of bots, runs and files: numbers by hand, pairs, what depends on what, openers that judges saw."""

import json
import math
from pathlib import Path

import numpy as np
import pytest
from scipy import stats

import dialometer.flows.compare.compare as flow
from dialometer.contracts.compare import CompareRequest
from dialometer.contracts.score import ScoreRequest
from dialometer.core.errors import DataError, NeedsError, RunError, UnknownName, UsageError
from dialometer.core.types import Example
from dialometer.flows.compare.columns import Columns
from dialometer.flows.compare.compare import compare
from dialometer.flows.compare.dependence import chosen_by
from dialometer.flows.compare.dialogues import Piece, Talks
from dialometer.flows.compare.pairs import compare_pairs
from dialometer.flows.compare.self_play import reranking
from dialometer.flows.score.score import score
from tests.flows.knowing import register, unregister
from tests.flows.played import played, write


@pytest.fixture(autouse=True)
def place(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    register()
    yield tmp_path
    unregister()


def compared(*inputs, **options):
    return compare(CompareRequest(tuple(map(str, inputs)), **({"resamples": 200} | options))).results


def row(found, metric, a=None, b=None):
    (one,) = [r for r in found["pairs"] if r["metric"] == metric and (a is None or (r["a"], r["b"]) == (a, b))]
    return one


RATED = [
    {"id": f"{system}{i}", "system": system, "context": [f"context {i}"], "response": " ".join(["tea"] * words)}
    for system, lengths in {"x": [3, 5, 4, 8, 6], "y": [1, 2, 4, 3, 5], "z": [2, 2, 2, 2, 2]}.items()
    for i, words in enumerate(lengths)
]


def test_two_runs_of_play_pair_by_opener(place):
    played("one", "parrot", n=8)
    played("two", "constant", n=8)
    found = compared("one", "two", metrics=("length",))
    assert (found["n"], found["unit"], list(found["systems"])) == (16, "conversation", ["parrot", "constant"])
    one = row(found, "words")
    assert (one["a"], one["b"], one["paired"], one["n_a"], one["test"]) == (
        "parrot",
        "constant",
        True,
        8,
        "sign flips, all",
    )
    openers = [talk["turns"][0]["text"] for talk in lines(place / "one/dialogues.jsonl")]
    constant = lines(place / "two/dialogues.jsonl")[0]["turns"][1]["text"]
    d = np.array([len(text) - len(constant) for text in openers])  # a parrot says the opener again and again
    chars = row(found, "chars")
    assert (chars["difference"], chars["effect"]) == (pytest.approx(d.mean()), pytest.approx(d.mean() / d.std(ddof=1)))
    assert found["unscored"] == ["words-difference"]
    assert found["human"] is None
    assert (place / found_run(place) / "report.html").exists()


def lines(path):
    return [json.loads(line) for line in path.read_text().splitlines()]


def found_run(place):
    (run,) = (place / "runs").glob("compare-*")
    return run


def test_a_file_of_several_systems_by_hand():
    found = compared(write_rows(RATED), metrics=("length",), test="mean")
    one = row(found, "words", "x", "y")
    d = np.array([2, 3, 0, 5, 1.0])
    assert (one["difference"], one["n_a"], one["paired"]) == (pytest.approx(2.2), 5, True)
    assert one["effect"] == pytest.approx(d.mean() / d.std(ddof=1))
    assert one["superiority"] == pytest.approx(0.9)
    assert one["p"] == pytest.approx(2 / 16)  # of 2⁴ signs of the four that are not 0, two reach 11
    assert one["low"] <= 2.2 <= one["high"]
    three = [row(found, "words", *pair)["p"] for pair in (("x", "y"), ("x", "z"), ("y", "z"))]
    every = [r["p"] for r in found["pairs"]]
    assert len(every) == 6
    assert row(found, "words", "x", "y")["p_holm"] == pytest.approx(_holm(every)[every.index(three[0])])
    ranked = compared(write_rows(RATED), metrics=("length",), test="rank", against="z")
    assert {(r["a"], r["b"]) for r in ranked["pairs"]} == {("x", "z"), ("y", "z")}
    assert row(ranked, "words", "x", "z")["p"] == pytest.approx(stats.wilcoxon([1, 3, 2, 6, 4]).pvalue)


def write_rows(rows, name="items.jsonl"):
    return write(Path(name), rows)


def _holm(p):
    order = np.argsort(p)
    best, found = 0.0, {}
    for k, at in enumerate(order):
        best = max(best, (len(p) - k) * p[at])
        found[at] = min(best, 1)
    return [found[k] for k in range(len(p))]


def test_what_shares_nothing_is_not_paired():
    rows = [r | {"context": [f"{r['system']} {r['context'][0]}"]} for r in RATED if r["system"] != "z"]
    one = row(compared(write_rows(rows), metrics=("length",)), "words")
    assert (one["paired"], one["n_a"], one["n_b"], one["test"], one["measure"]) == (False, 5, 5, "Welch", "g")
    assert one["p"] == pytest.approx(stats.ttest_ind([3, 5, 4, 8, 6], [1, 2, 4, 3, 5], equal_var=False).pvalue)


def test_replies_of_one_conversation_count_once():
    """One long conversation with long replies must not outweigh two short ones."""
    talks = [
        {"id": "a1", "system": "a", "group": "g1", "turns": ["hi", *["w w w w"] * 9]},
        {"id": "a2", "system": "a", "group": "g2", "turns": ["hi", "w w"]},
        {"id": "b1", "system": "b", "group": "g1", "turns": ["hi", "w"]},
        {"id": "b2", "system": "b", "group": "g2", "turns": ["hi", "w"]},
    ]
    found = compared(write_rows(talks), metrics=("length", "talkative"))
    assert found["systems"]["a"]["columns"]["words"]["mean"] == pytest.approx(3)
    replies = row(found, "replies")
    assert (replies["mean_a"], replies["mean_b"]) == (found["systems"]["a"]["replies"] / 2, 1)


def test_the_same_name_in_two_runs_is_told_apart():
    played("one", "eliza", n=4)
    played("two", "eliza", n=4, seed=5)
    found = compared("one", "two", metrics=("length",))
    assert list(found["systems"]) == ["eliza @ one", "eliza @ two"]


def test_runs_of_score_bring_their_numbers():
    path = write_rows(RATED)
    scored = score(ScoreRequest((path,), ("length",), output="s", resamples=0))
    found = compared("s")
    anew = compared(path, metrics=("length",))
    assert found["pairs"] == anew["pairs"]
    assert found["recipes"]["words"] == scored.recipes["words"]
    write_rows(RATED[:-1])
    with pytest.raises(RunError, match="gone or was changed"):
        compared("s")


def test_bots_talk_first_and_a_later_comparison_finds_it_done(place):
    bots = ("eliza", 'rerank(bots="eliza;parrot",metric=length,k=2)')
    found = compared(*bots, n=6, turns=4)
    assert found["play"].startswith("runs/play-")
    assert found["openers"] == {"found": found["openers"]["found"], "seen": 0}
    before = sorted(place.glob("runs/play-*"))
    again = compared(a=bots, n=6, turns=4, metrics=("length",))
    assert sorted(place.glob("runs/play-*")) == before
    assert again["play"] == found["play"]
    record = json.loads(next(place.glob("runs/compare-*/run.json")).read_text())
    assert record["parents"] == [found["play"]]


def test_what_a_re_ranker_chose_by_is_marked():
    label = "rerank(bots=eliza;parrot,metric=length)"
    found = compared("eliza", 'rerank(bots="eliza;parrot",metric=length)', n=6, turns=4, metrics=("length", "distinct"))
    assert found["depends"][label]["words"] == "used"
    assert found["independent"] == {"words": False, "chars": False, "distinct-1": True, "distinct-2": True} | {
        name: True for name in found["independent"] if name.endswith("adjusted")
    }
    assert row(found, "words")["depends"] == "used"
    assert row(found, "distinct-1")["depends"] == ""
    assert any("no independent evidence" in line for line in found["conclusions"])
    other = compared("eliza", 'rerank(bots="eliza;parrot",metric=length)', n=6, turns=4, metrics=("length(tok=13a)",))
    assert row(other, "words")["depends"] == "akin"


def test_reading_what_bots_choose_by():
    nested = 'rerank(bots="eliza;rerank(bot=parrot,metric=length)",metric=autojudge(encoder=minilm))'
    assert list(reranking([nested, "eliza"])) == ["autojudge(encoder=minilm)", "length"]
    recipe = "rerank-1(bots=rerank-1(bots=a-1,metric=m/x:(1,2)/v:1);b-1,metric=n/enc:minilm-1(pool=mean)@12/v:1,k=2)"
    assert chosen_by(recipe) == ["m/x:(1,2)/v:1", "n/enc:minilm-1(pool=mean)@12/v:1"]
    assert chosen_by("command-1(metric=length/v:1)") == []


def test_openers_that_a_judge_saw_are_dropped_and_counted(place):
    texts = [f"opener number {i}" for i in range(8)]
    (place / "o.txt").write_text("\n".join(texts) + "\n")
    judge = f'knowing(saw="{texts[1]}|Opener, number 5!|never")'
    options = {"openers": "o.txt", "turns": 2, "metrics": ("length",)}
    found = compared("eliza", f'rerank(bots="eliza;parrot",metric={judge})', n=6, **options)
    assert found["openers"] == {"found": 8, "seen": 2}
    assert found["notes"][0].startswith("2 of 8 openers were left out")
    assert {talk["turns"][0]["text"] for talk in lines(place / found["play"] / "dialogues.jsonl")} == {*texts} - {
        texts[1],
        texts[5],
    }
    with pytest.raises(UsageError, match="there are 6"):
        compared("eliza", f'rerank(bots="eliza;parrot",metric={judge})', n=7, **options)
    everything = f'knowing(saw="{"|".join(texts)}")'
    with pytest.raises(UsageError, match="saw all 8 openers"):
        compared("eliza", f"rerank(bot=parrot,metric={everything})", n=2, **options)


def test_a_context_is_new_if_one_of_its_turns_is(place):
    talks = [{"id": f"d{i}", "turns": ["hello", f"turn {i}", "bye"]} for i in range(4)]
    write_rows(talks, "t.jsonl")
    bot = 'rerank(bot=parrot,metric=knowing(saw="hello|turn 2"))'
    found = compared("eliza", bot, openers="t.jsonl", context=2, n=3, turns=2, metrics=("length",))
    assert found["openers"] == {"found": 4, "seen": 1}


def test_an_interrupted_comparison_goes_on_and_a_finished_one_is_read(place, monkeypatch):
    path = write_rows(RATED)
    real = flow.write_page
    monkeypatch.setattr(flow, "write_page", lambda *a: (_ for _ in ()).throw(KeyboardInterrupt))
    with pytest.raises(KeyboardInterrupt):
        compared(path, metrics=("length",))
    kept = sorted(p.name for p in found_run(place).glob("work/score/*"))
    assert "scores.parquet" in kept
    monkeypatch.setattr(flow, "write_page", real)
    first = compare(CompareRequest((path,), metrics=("length",), resamples=200))
    monkeypatch.setattr(flow, "write_page", lambda *a: pytest.fail("made twice"))
    second = compare(CompareRequest((path,), metrics=("length",), resamples=200))
    assert json.dumps(second.to_json()) == json.dumps(first.to_json())


def test_five_in_a_hundred_tables_when_nothing_differs():
    """Three columns, adjusted by Holm: at most one table in twenty has a difference that is none."""
    pieces = tuple(
        Piece(Example(f"{s}{i}", (), "r", system=s, group=f"g{i}"), f"g{i}", f"{s}{i}", 0) for s in "ab" for i in range(14)
    )
    talks = Talks(pieces)
    rng = np.random.default_rng(7)
    runs, false = 400, 0
    for seed in range(runs):
        tables = {name: rng.normal(size=(2, 14)) + rng.normal(size=14) for name in "xyz"}
        rows = compare_pairs(talks, Columns(tables), {}, against="", test="mean", resamples=0, permutations=200, seed=seed)
        false += any(one.p_holm <= 0.05 for one in rows)
    assert 0.05 - 5 * math.sqrt(0.05 * 0.95 / runs) < false / runs + 0.03
    assert false / runs < 0.05 + 5 * math.sqrt(0.05 * 0.95 / runs)


@pytest.mark.parametrize(
    ("inputs", "options", "error", "said"),
    [
        ((), {}, UsageError, "nothing was named"),
        (("eliza",), {}, UsageError, "two systems or more"),
        (("elisa", "parrot"), {}, UnknownName, "did you mean eliza"),
        (("gone.jsonl", "parrot"), {}, UsageError, "gone.jsonl: there is no such run or file"),
        (("runs/play-1", "parrot"), {}, UsageError, "runs/play-1: there is no such run"),
        (("one.jsonl",), {}, UsageError, "there is x"),
        (("items.jsonl", "items.jsonl"), {}, UsageError, "named twice"),
        (("items.jsonl",), {"metrics": ("bleu",)}, NeedsError, "bleu needs a reference"),
        (("items.jsonl",), {"metrics": ("blue",)}, UnknownName, "did you mean bleu"),
        (("items.jsonl",), {"against": "w"}, UnknownName, "there is no system named 'w'"),
        (("items.jsonl",), {"test": "t"}, UsageError, "--test is mean or rank"),
        (("items.jsonl",), {"openers": "o.txt"}, UsageError, "--openers is for bots"),
        (("items.jsonl",), {"scale": "5"}, UsageError, "a scale is"),
        (("items.jsonl",), {"permutations": -1}, UsageError, "--permutations"),
        (("items.jsonl",), {"ratings": ("gone.csv",)}, DataError, "gone.csv"),
        (("eliza", "parrot"), {"metrics": ("bleu",)}, NeedsError, "bleu needs a reference"),
        (("eliza", "parrot"), {"metrics": ("humanlike",)}, NeedsError, "humanlike has not been trained"),
        (("folder",), {}, RunError, "no run"),
    ],
)  # fmt: skip
def test_refusals_leave_nothing(place, inputs, options, error, said):
    write_rows(RATED)
    write_rows([r for r in RATED if r["system"] == "x"], "one.jsonl")
    (place / "folder").mkdir()
    with pytest.raises(error, match=said.replace("(", r"\(")):
        compared(*inputs, **options)
    assert not list(place.glob("runs/*"))
