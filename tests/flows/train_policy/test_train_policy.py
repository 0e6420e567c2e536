"""train_reward: what is kept and told, refusals, and the same weights after a kill."""

import json
import signal
import subprocess
import sys
import time
from dataclasses import replace

import pytest

pytest.importorskip("torch")

from dialometer.cli.train import render_policy
from dialometer.contracts.train_policy import RewardRequest
from dialometer.core.errors import MissingResource, NeedsError, UsageError
from dialometer.core.registry import create
from dialometer.data import open_items
from dialometer.flows.train_policy.train_policy import train_reward
from tests.bots._policy.small import OPENERS, talks, trained

MEASURES = ("return", "distinct-1", "distinct-2", "empty", "repeated", "universal", "perplexity", "words", "kl", "entropy")


@pytest.fixture
def request_(tmp_path, monkeypatch):
    """A bot of seconds in runs/bot, thirty openers, a judge that likes long replies."""
    monkeypatch.chdir(tmp_path)
    trained().save(tmp_path / "runs/bot")
    (tmp_path / "openers.txt").write_text("\n".join(turns[0] for turns in OPENERS) + "\n")
    return RewardRequest(
        "runs/bot", ("openers.txt",), "length", watch=("length(tok=13a)",), episodes=24, batch=4, turns=3, rate=0.01, check=5,
        output="runs/new",
    )  # fmt: skip


def test_what_is_told_and_kept(request_, tmp_path):
    report = train_reward(request_)
    told = report.to_json()
    assert (told["kind"], told["name"], told["episodes"], told["steps"]) == ("bot", "hred", 24, 6)
    assert (told["check"], told["openers"], told["left_out"]) == (5, 25, 0)
    assert set(MEASURES) <= set(told["before"])
    assert set(told["before"]) == set(told["after"])
    assert told["before"]["kl"] == pytest.approx(0, abs=1e-5)
    assert render_policy(report)[0] == "hred trained on the reward of length: 24 episodes of 3 turns in 6 steps"
    folder = tmp_path / "runs/new"
    head, *rows = (folder / "reward.csv").read_text().splitlines()
    assert head.split(",")[:2] == ["step", "return"]
    assert "length(tok=13a)" in head
    assert [row.split(",")[0] for row in rows] == list("123456")
    assert (folder / "reward.png").read_bytes()[:4] == b"\x89PNG"
    played = list(open_items(str(folder / "episodes.jsonl")))
    assert [one.system for one in played] == ["before"] * 5 + ["after"] * 5
    assert [one.group for one in played[:5]] == [one.group for one in played[5:]]
    assert all(len(list(one.examples())) == 3 for one in played)
    assert create("bot", "runs/new").recipe == told["recipe"] != create("bot", "runs/bot").recipe
    again = train_reward(request_)
    assert again.to_json() == told, "a finished run is read"


def test_early_stopping_ends_it_and_says_so(request_):
    """With a judge that pays by the letter the tiny bot soon says nothing but long replies."""
    report = train_reward(replace(request_, episodes=160, rate=0.05, reward="length", column="chars"))
    assert report.stopped
    assert report.weights_step < report.early_stopping_step == report.steps < 40
    assert any("early stopping ended it at step" in line for line in render_policy(report))
    free = train_reward(replace(request_, episodes=160, rate=0.05, column="chars", stop=False, output="runs/free"))
    assert free.steps == 40
    assert free.early_stopping_step == report.early_stopping_step


def test_against_a_partner(request_):
    report = train_reward(replace(request_, partner="parrot"))
    played = list(open_items(str(f"{report.run}/episodes.jsonl")))
    assert all(one.turns[2].text == one.turns[1].text for one in played), "the parrot's turn"
    assert all(one.speakers == {"a"} for one in played)


def test_openers_that_are_known_are_left_out(request_, tmp_path):
    known = [talk[0] for talk in talks()][:4]
    (tmp_path / "openers.txt").write_text("\n".join([*known, *(turns[0] for turns in OPENERS)]) + "\n")
    assert train_reward(request_).left_out == 4
    (tmp_path / "openers.txt").write_text("\n".join(known) + "\n")
    with pytest.raises(UsageError, match="all 4 openers are known"):
        train_reward(replace(request_, output="runs/other"))


@pytest.mark.parametrize(
    ("change", "error", "match"),
    [
        ({"spec": "eliza"}, UsageError, "no network that can learn by reward"),
        ({"spec": "hred"}, NeedsError, "has not been trained"),
        ({"spec": "runs/none"}, MissingResource, "not something fitted"),
        ({"inputs": ()}, UsageError, "one file of openers"),
        ({"check": 30}, UsageError, "30 openers are kept for looking"),
        ({"check": 0}, UsageError, "--check"),
        ({"reward": "rouge"}, NeedsError, "needs a reference"),
        ({"episodes": 0}, UsageError, "--episodes"),
        ({"partner": "nobody"}, UsageError, "no bot named"),
    ],
)
def test_what_cannot_be_leaves_no_trace(request_, tmp_path, change, error, match):
    with pytest.raises(error, match=match):
        train_reward(replace(request_, **change))
    assert not (tmp_path / "runs/new").exists()


SCRIPT = """
import json, sys
from dialometer.flows.train_policy.train_policy import train_reward
from dialometer.contracts.train_policy import RewardRequest
from dialometer.nets.dialogue import reinforce
reinforce.reinforce.__kwdefaults__["save_seconds"] = 0.0
asked = json.loads(sys.argv[1])
train_reward(RewardRequest(**{key: tuple(value) if isinstance(value, list) else value for key, value in asked.items()}))
"""


def test_killed_and_started_again(request_, tmp_path):
    """kill -9 while it learns, then the same again: the bytes of the uninterrupted run."""
    request = replace(request_, episodes=60, stop=False)
    fields = {name: getattr(request, name) for name in request.__slots__}
    train_reward(replace(request, output="runs/whole"))
    command = [sys.executable, "-c", SCRIPT, json.dumps(fields | {"output": "runs/cut"})]
    checkpoint = tmp_path / "runs/cut/work/fit/checkpoint.safetensors"
    child = subprocess.Popen(command, start_new_session=True)
    try:
        limit = time.monotonic() + 200
        while not checkpoint.exists() and time.monotonic() < limit and child.poll() is None:
            time.sleep(0.02)
        child.send_signal(signal.SIGKILL)
        assert child.wait(30) == -signal.SIGKILL
    finally:
        child.kill()
        child.wait()
    subprocess.run(command, check=True, timeout=300)
    for name in ("model/arrays.safetensors", "reward.csv", "episodes.jsonl"):
        assert (tmp_path / "runs/whole" / name).read_bytes() == (tmp_path / "runs/cut" / name).read_bytes()
