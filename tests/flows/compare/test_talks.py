"""Bots compared by their conversations: the usual metrics, their numbers by plain loops, and pictures by turn."""

import math
from itertools import combinations

import numpy as np
import pytest

from dialometer.contracts.compare import CompareRequest
from dialometer.contracts.score import ScoreRequest
from dialometer.contracts.train import TrainRequest
from dialometer.core.errors import MissingResource
from dialometer.data import open_items
from dialometer.flows.compare import default_metrics as defaults
from dialometer.flows.compare.compare import compare
from dialometer.flows.score.score import score
from dialometer.flows.train.train import train
from dialometer.metrics.conversation import COLUMNS
from dialometer.metrics.turns import COLUMNS as OF_TURNS
from tests.flows.played import played, write
from tests.metrics.plain_talk import Plain

N, TURNS = 6, 5


@pytest.fixture(scope="module")
def place(tmp_path_factory):
    """Self-play of three bots from the same openers, and what they are compared by."""
    made = tmp_path_factory.mktemp("talks")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(made)
        said = [
            "hello there",
            "do you like tea ?",
            "yes , i like tea a lot",
            "why do you ask ?",
            "i had some today",
            "ha ha !",
        ]
        talks = write(made / "talks.jsonl", [{"id": f"t{k}", "turns": (said + said)[k : k + 3]} for k in range(6)])
        train(TrainRequest("tfidf", (talks,), output="look-up"))
        for name, bot in {"eliza": "eliza", "parrot": "parrot", "tfidf": "look-up"}.items():
            played(name, bot, n=N, turns=TURNS)
        yield made


@pytest.fixture(scope="module")
def found(place):
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(place)
        report = compare(CompareRequest(("eliza", "parrot", "tfidf"), resamples=100, output="all"))
    return report.results


@pytest.fixture(scope="module")
def talks(place):
    """The conversations, system by system, by opener."""
    made = {}
    for folder in ("eliza", "parrot", "tfidf"):
        for talk in open_items(str(place / folder / "dialogues.jsonl")):
            made.setdefault(talk.system, {})[talk.group] = talk
    return made


@pytest.fixture(scope="module")
def plain(talks):
    return Plain([talk for own in talks.values() for talk in own.values()])


def test_features_of_conversations_are_compared_unless_others_are_named(found):
    assert set(found["recipes"]) <= {"words", "chars", "distinct-1", "distinct-2", *COLUMNS}
    assert {"similarity", "topic", "own-distinct-2", "question"} <= set(found["recipes"])
    assert all(row["paired"] for row in found["pairs"])
    assert len(found["conclusions"]) == 3
    assert all(f"{N} conversations each, in pairs" in said for said in found["conclusions"])


def test_differences_and_effects_are_those_of_plain_loops(found, talks, plain):
    rows = {(row["metric"], row["a"], row["b"]): row for row in found["pairs"]}
    values = {
        name: {group: dict(zip(COLUMNS, plain.talk(talk), strict=True)) for group, talk in own.items()}
        for name, own in talks.items()
    }
    seen = 0
    for a, b in combinations(talks, 2):
        for column in COLUMNS:
            pairs = [(values[a][group][column], values[b][group][column]) for group in values[a]]
            d = np.array([x - y for x, y in pairs if not math.isnan(x - y)])
            if (column, a, b) not in rows or len(d) < 2:
                continue
            row = rows[column, a, b]
            assert (row["difference"], row["n_a"]) == (pytest.approx(d.mean(), abs=1e-5), len(d))
            if d.std() > 1e-3:
                assert row["effect"] == pytest.approx(d.mean() / d.std(ddof=1), rel=1e-3, abs=1e-4)
                flips = [abs(np.dot(d, 1 - 2 * (number >> np.arange(len(d)) & 1))) for number in range(2 ** len(d))]
                assert row["p"] == pytest.approx(np.mean(np.array(flips) >= abs(d.sum()) - 1e-6))
            seen += 1
    assert seen > 40


def test_p_is_adjusted_over_the_whole_table(found):
    tested = sorted((row["p"], row["p_holm"]) for row in found["pairs"] if row["p"] is not None)
    worst = 0.0
    for place, (p, adjusted) in enumerate(tested):
        worst = max(worst, min(1.0, (len(tested) - place) * p))
        assert adjusted == pytest.approx(worst)


def test_trajectories_are_means_of_the_replies_at_each_turn(found, talks, plain):
    (one,) = found["trajectories"]
    assert one["groups"] == dict.fromkeys(talks, N)
    assert set(one["columns"]) <= set(OF_TURNS)
    for column, drawn in one["columns"].items():
        at = OF_TURNS.index(column)
        for system, own in talks.items():
            rows = [[row[at] for row in plain.turns(talk)] for talk in own.values()]
            for place, turn in enumerate(drawn["turns"]):
                there = [row[turn - 1] for row in rows if len(row) >= turn and not math.isnan(row[turn - 1])]
                part = drawn["groups"][system]
                assert part["n"][place] == len(there)
                if there:
                    assert part["mean"][place] == pytest.approx(np.mean(there), abs=1e-5)


def test_the_page_draws_them(found, place):
    html = (place / "all" / "report.html").read_text(encoding="utf-8")
    assert "Turn by turn: systems" in html
    assert len(list((place / "all" / "figures").glob("turns-systems-*.svg"))) == len(found["trajectories"][0]["columns"])


def test_scored_runs_bring_their_replies_along(place, monkeypatch, talks):
    monkeypatch.chdir(place)
    for name in ("eliza", "parrot"):
        score(ScoreRequest((f"{name}/dialogues.jsonl",), ("length",), resamples=0, output=f"scored-{name}"))
    (one,) = compare(CompareRequest(("scored-eliza", "scored-parrot"), resamples=0)).results["trajectories"]
    drawn = one["columns"]["chars"]
    for system, part in drawn["groups"].items():
        for turn, n, mean in zip(drawn["turns"], part["n"], part["mean"], strict=True):
            replies = [list(talk.examples())[turn - 1].response for talk in talks[system].values()]
            assert (n, mean) == (N, pytest.approx(np.mean([len(text) for text in replies])))


def test_without_models_the_features_are_left_out_with_a_note(place, monkeypatch):
    def lacking(metric):
        raise MissingResource("minilm needs PyTorch, which is not installed", "pip install it")

    monkeypatch.chdir(place)
    monkeypatch.setattr(defaults, "recipe", lacking)
    results = compare(CompareRequest(("eliza", "parrot"), resamples=0)).results
    assert set(results["recipes"]) == {"words", "chars", "distinct-1", "distinct-2"}
    assert results["notes"][0] == (
        "Features of conversations are left out: minilm needs PyTorch, which is not installed (pip install it)."
    )
    (one,) = results["trajectories"]  # what is measured is drawn
    assert set(one["columns"]) == {"words", "chars"}


def test_responses_have_no_features_of_conversations(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    rows = [
        {"id": f"{s}{i}", "system": s, "context": ["hm"], "group": str(i), "response": "tea " * (i + 1)}
        for s in "ab"
        for i in range(3)
    ]
    results = compare(CompareRequest((write(tmp_path / "rows.jsonl", rows),), resamples=0)).results
    assert set(results["recipes"]) <= {"words", "chars", "distinct-1", "distinct-2"}
    assert results["trajectories"] == []


def test_so_few_pairs_that_nothing_can_be_shown_are_said(found):
    """2/2⁶ is the least p of six pairs: times all tests it is far above 0.05."""
    tests = sum(row["p"] is not None for row in found["pairs"])
    (note,) = found["notes"]
    assert note.startswith(f"{N} pairs have no p below 0.031, and {tests} tests are adjusted together")


def test_many_tests_get_enough_sign_flips(tmp_path, monkeypatch):
    """18 pairs are too many for all signs; of 100 flips the least p is 0.01, and a clear difference must still be shown."""
    monkeypatch.chdir(tmp_path)
    rows = [
        {"id": f"{s}{i}", "system": s, "context": ["hm"], "group": str(i), "response": "tea " * (1 + i % 3 + 5 * number)}
        for number, s in enumerate("abcd")
        for i in range(18)
    ]
    path = write(tmp_path / "rows.jsonl", rows)
    results = compare(CompareRequest((path,), metrics=("length",), resamples=0, permutations=100)).results
    assert {row["test"] for row in results["pairs"]} == {"sign flips, 480"}  # 6 pairs of systems, 2 columns
    assert all(row["p_holm"] <= 0.05 for row in results["pairs"])
    assert results["notes"] == []
