"""Conversations turn by turn beside people: real votes and lengths by plain loops, factors of systems, maps of everything."""

import csv
import math

import numpy as np
import pytest
from scipy import stats

from dialometer.data import open_items
from tests.flows.rated import run_meta, write_rows

QUALITIES = ("eval_score", "profile_match")


@pytest.fixture(scope="module")
def talks(shared_data):
    return {talk.id: talk for talk in open_items(str(shared_data("dialogues/convai2_volunteers.jsonl.gz")))}


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("convai2")


@pytest.fixture(scope="module")
def found(shared_data, folder):
    """Volunteers' chats of ConvAI2, which have votes on single replies and a score of the whole."""
    systems = folder / "systems.toml"
    systems.write_text("".join(f'["Bot {n:03d}"]\neven = {str(n % 2 == 0).lower()}\n' for n in (2, 4, 6, 9, 11)))
    file = str(shared_data("dialogues/convai2_volunteers.jsonl.gz"))
    return run_meta(folder, file, ("length",), quality=QUALITIES, systems=str(systems), level=("item",)).to_json()


def rated(talks):
    """id → score of the conversations in which the system answers."""
    scores = {name: [v for v in talk.ratings["eval_score"] if v is not None] for name, talk in talks.items()}
    return {name: sum(own) / len(own) for name, own in scores.items() if own and next(talks[name].examples(), None)}


def by_turn(talks, names, value):
    """turn → the numbers of these conversations at it; ``value`` of a turn and its text."""
    seen = {}
    for name in names:
        talk, speakers = talks[name], talks[name].speakers
        own = [turn for turn in talk.turns[1:] if turn.speaker in speakers]
        for number, turn in enumerate(own, 1):
            seen.setdefault(number, []).append(value(turn))
        if talk.turns[0].speaker in speakers and talk.turns[0].vote is not None:
            seen.setdefault(0, []).append(value(talk.turns[0]) if value is vote else math.nan)
    return {turn: [x for x in numbers if not math.isnan(x)] for turn, numbers in seen.items()}


def vote(turn):
    return math.nan if turn.vote is None else float(turn.vote)


def check(drawn, seen):
    """A group of a column against the numbers at each turn."""
    for turn, n, mean, low, high in zip(
        drawn["turns"], *(drawn["own"][key] for key in ("n", "mean", "low", "high")), strict=True
    ):
        there = seen.get(turn, [])
        assert n == len(there)
        assert (mean is None) == (not there)
        if there:
            assert mean == pytest.approx(np.mean(there))
        if n > 1:
            half = stats.t.ppf(0.95, n - 1) * stats.sem(there)
            assert (low, high) == (pytest.approx(np.mean(there) - half), pytest.approx(np.mean(there) + half))
        else:
            assert low is None


def test_highest_and_lowest_conversations_turn_by_turn(found, talks):
    one = found["trajectories"][0]
    scores = rated(talks)
    assert (one["by"], one["groups"]) == (
        "highest and lowest in eval_score",
        {"100 highest in eval_score": 100, "100 lowest in eval_score": 100},
    )
    fives, ones = ([name for name, score in scores.items() if score == end] for end in (5, 1))
    (note,) = one["notes"]  # both cuts go through people who agree
    assert f"100 of the {len(ones)} rated 1 at the low end" in note
    assert len(fives) < 100 < len(ones)
    lengths = one["columns"]["chars"]["groups"]["100 highest in eval_score"]
    assert lengths["n"][0] == 100


def test_votes_and_lengths_of_a_factor_are_those_of_plain_loops(found, talks):
    """Every conversation is in one of two groups, so that the loops need no lot."""
    factor = found["trajectories"][1]
    names = {even: [n for n, talk in talks.items() if int(talk.system[-3:]) % 2 == even] for even in (0, 1)}
    assert (factor["by"], set(factor["groups"])) == ("even", {"even True", "even False"})
    for column, value in {"vote": vote, "chars": lambda turn: float(len(turn.text))}.items():
        drawn = factor["columns"][column]
        for odd, label in enumerate(("even True", "even False")):
            seen = by_turn(talks, names[odd], value)
            check({"turns": drawn["turns"], "own": drawn["groups"][label]}, seen)


def test_all_by_all_is_scipys(found, folder):
    square = found["among"]
    assert square["names"][:2] == ["people: eval_score", "people: profile_match"]
    with (folder / "run" / "items.csv").open(encoding="utf-8", newline="") as sheet:
        table = list(csv.DictReader(sheet))
    x, y = (np.array([float(row[name] or "nan") for row in table]) for name in ("human:eval_score", "chars"))
    both = ~np.isnan(x + y)
    place = square["names"].index("chars")
    tests = {"pearson": stats.pearsonr, "spearman": stats.spearmanr, "kendall": stats.kendalltau}
    for kind, test in tests.items():
        assert square[kind][0][place] == square[kind][place][0] == pytest.approx(test(x[both], y[both])[0], abs=1e-4)
        assert square[kind][place][place] == 1


def test_the_page_has_pictures_and_maps(folder, found):
    html = (folder / "run" / "report.html").read_text(encoding="utf-8")
    for title in ("Turn by turn: highest and lowest in eval_score", "Turn by turn: even"):
        assert title in html
    figures = {path.name for path in (folder / "run" / "figures").iterdir()}
    maps = {
        "metrics-qualities.svg",
        "metrics-qualities-pearson.svg",
        "metrics-qualities-kendall.svg",
        "all-by-all-spearman.svg",
    }
    assert maps | {"turns-even-vote.svg", "turns-highest-and-lowest-in-eval_score-chars.svg"} <= figures


def test_ratings_that_tell_no_end_and_replies_that_are_no_conversation(tmp_path):
    turns = [{"speaker": s, "text": "tea " * (k + 1)} for k, s in enumerate(["user", "bot"] * 3)]
    talks = [
        {"id": f"d{k}", "system": "b", "turns": turns[: 4 + 2 * (k % 2)], "ratings": {"fun": [3 + (k == 7)]}}
        for k in range(8)
    ]
    found = run_meta(tmp_path, write_rows(tmp_path / "talks.jsonl", talks), ("length",)).to_json()
    (one,) = found["trajectories"]
    assert (one["columns"], one["notes"]) == (
        {},
        ["Too many dialogues are rated 3 to tell the highest from the lowest."],
    )
    assert found["among"] == {}
    replies = [{"id": f"r{k}", "context": ["hm"], "response": "tea " * k, "ratings": {"fun": [k % 5]}} for k in range(12)]
    assert (
        run_meta(tmp_path, write_rows(tmp_path / "r.jsonl", replies), ("length",), name="r").to_json()["trajectories"] == []
    )
