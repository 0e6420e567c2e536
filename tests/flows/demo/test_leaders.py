"""Leads and gaps: paired by opener, tested against everybody, adjusted for having looked at all of them."""

import numpy as np
import pytest

from dialometer.contracts.play import PlayRequest
from dialometer.contracts.score import ScoreRequest, ScoreResult
from dialometer.core.types import Scores
from dialometer.flows.demo.leaders import leads
from dialometer.flows.demo.pairing import by_opener, paired
from dialometer.flows.demo.partner_gap import gaps
from dialometer.flows.play.play import play
from dialometer.flows.score.score import score

OPENERS = [f"opener-{k:02d}" for k in range(20)]


def side(**bots):
    return {"hybrid": {bot: dict(zip(OPENERS, values, strict=True)) for bot, values in bots.items()}}


@pytest.fixture
def noise():
    """A callable: spread and seed → a value per opener, with a mean of exactly 0 and that standard deviation."""

    def drawn(spread, seed):
        values = np.random.default_rng(seed).normal(size=len(OPENERS))
        return spread * (values - values.mean()) / values.std(ddof=1)

    return drawn


def test_a_third_bot_that_varies_much_is_not_left_behind(noise):
    """The second mean is far below, but the third bot may well be higher than the first."""
    found = leads({"x": side(a=1 + noise(0.1, 0), b=0.8 + noise(0.1, 1), c=0.7 + noise(1.5, 2))}, seed=0)["hybrid"]["x"]
    assert found["first"] == "a"
    assert found["not_told_from"] == ["c"]


def test_a_clear_lead_at_zero_and_below(noise):
    found = leads({"x": side(a=0 * noise(1, 0), b=-1 + noise(0.1, 1), c=-2 + noise(0.1, 2))}, seed=0)["hybrid"]["x"]
    assert found == {"first": "a", "mean": 0.0, "not_told_from": []}


def test_a_lead_among_many_is_adjusted(noise):
    two = {"a": 0.55 + noise(1, 3), "b": np.zeros(20)}  # p is about 0.02
    many = two | {f"z{k}": noise(1, 10 + k) for k in range(5)}
    assert leads({"x": side(**two)}, seed=0)["hybrid"]["x"]["not_told_from"] == []
    assert "b" in leads({"x": side(**many)}, seed=0)["hybrid"]["x"]["not_told_from"]


def test_a_bot_alone_leads_nobody():
    assert leads({"x": side(a=np.ones(20))}, seed=0) == {"hybrid": {}}
    assert leads({"x": {}}, seed=0) == {}


def test_gaps_are_adjusted_over_all_bots(noise):
    own = {f"b{k}": 0.55 * (k == 3) + noise(1, k) for k in range(5)}
    found = gaps(side(**own), side(**{bot: 0 * values for bot, values in own.items()}), resamples=50, seed=0)
    assert found["b3"]["hybrid"]["p"] < 0.05
    assert all(cells["hybrid"]["p_holm"] > 0.05 for cells in found.values())


def test_sides_pair_by_opener_not_by_place():
    a, b = paired({"x": 1.0, "y": 2.0, "z": 3.0}, {"z": 30.0, "x": 10.0})
    assert (a.tolist(), b.tolist()) == ([1.0, 3.0], [10.0, 30.0])


def test_conversations_are_known_by_their_opener_whatever_their_ids_look_like(tmp_path, monkeypatch):
    played = play(PlayRequest(("eliza", "parrot"), n=3, turns=2, names=("a-b#1", "c-1"), output=str(tmp_path / "play")))
    report = score(ScoreRequest((played.dialogues,), ("length",), output=str(tmp_path / "score")))
    lengths = report.scores()
    renamed = Scores(lengths.items, {"hybrid": lengths.columns["words"]}, {})
    monkeypatch.setattr(ScoreResult, "scores", lambda self: renamed)
    found = by_opener(report, played.dialogues)["hybrid"]
    assert found.keys() == {"a-b#1", "c-1"}
    assert len(found["c-1"]) == 3
    assert found["a-b#1"].keys() == found["c-1"].keys()
    np.testing.assert_allclose(np.mean(list(found["c-1"].values())), report.cells["c-1"]["words"].mean)
