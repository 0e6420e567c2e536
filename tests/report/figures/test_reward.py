"""Pictures of a learning by reward."""

import math

import pytest

pytest.importorskip("matplotlib")

from dialometer.report.figures.reward import reward_arms, reward_curves, smooth

RECORDS = [
    {"return": 20.0 + step, "distinct-1": 0.4, "distinct-2": math.nan if step == 3 else 0.9, "empty": 0.0, "repeated": 0.1,
     "universal": step / 20, "perplexity": 50.0, "words": 9.0, "other": 2.0}
    for step in range(12)
]  # fmt: skip


def test_drawn(tmp_path):
    reward_curves(tmp_path / "one.png", RECORDS, title="a", stopping_step=5, others=["other"])
    reward_curves(tmp_path / "bare.png", RECORDS[:1], title="b")
    reward_arms(tmp_path / "arms.png", {"plain": [RECORDS, RECORDS], "kl": [RECORDS]}, ["return", "words"], title="c")
    assert all((tmp_path / f"{name}.png").read_bytes()[:4] == b"\x89PNG" for name in ("one", "bare", "arms"))


def test_smoothed_by_hand():
    assert smooth([math.nan, 10.0, 0.0, math.nan, 0.0])[1:] == [10.0, 8.0, 8.0, 6.4]
    assert smooth([]) == []
