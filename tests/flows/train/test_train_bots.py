"""train with bots: what is kept and told, which items take part, and the same weights after a kill."""

import json
import signal
import subprocess
import sys
import time

import numpy as np
import pytest

from dialometer.contracts.train import TrainRequest
from dialometer.core.errors import DataError, UsageError
from dialometer.core.registry import create
from dialometer.core.types import Turn
from dialometer.flows.train.train import train
from dialometer.flows.train.training_text import read_ids, read_talks

TINY = "hred(hidden=8,embedding=8,context=8,vocabulary=60,batch=4,epochs=3)"


@pytest.fixture
def talks(tmp_path, monkeypatch):
    """Sixty conversations of a few words, two thirds of them of the train part."""
    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng(0)
    words = "tea cake milk sugar coffee bread please thanks yes no more".split()
    lines = []
    for number in range(60):
        turns = [{"speaker": "ab"[t % 2], "text": " ".join(rng.choice(words, 4))} for t in range(4)]
        lines.append(json.dumps({"id": f"t{number}", "split": "train" if number % 3 else "test", "turns": turns}))
    (tmp_path / "talks.jsonl").write_text("\n".join(lines) + "\n")
    return "talks.jsonl"


def test_what_is_told_and_kept(talks, tmp_path):
    report = train(TrainRequest(TINY, (talks,), output="runs/hred"))
    told = report.to_json()
    assert (told["kind"], told["name"], told["conversations"]) == ("bot", "hred", 60)
    assert told["kl"] == 0
    assert 1 < told["perplexity"] < 1000
    assert told["perplexity"] == pytest.approx(told["perplexity_estimate"])
    assert told["tokens_per_second"] > 0
    head, *rows = (tmp_path / "runs/hred/curve.csv").read_text().splitlines()
    assert head == "step,part,loss"
    parts = [row.split(",")[1] for row in rows]
    assert parts.count("validation") == 3
    assert parts.count("training") >= told["steps"] // 2
    assert (tmp_path / "runs/hred/curve.png").read_bytes()[:4] == b"\x89PNG"
    bot = create("bot", "runs/hred")
    assert bot.recipe == told["recipe"]
    assert bot.reply([(Turn("a", "tea please"),)], n=2) == bot.reply([(Turn("a", "tea please"),)], n=2)


def test_items_by_field_and_by_id(talks, tmp_path):
    (tmp_path / "leaks.json").write_text(json.dumps({"valid": ["t1", "t2"], "test": ["t4"]}))
    (tmp_path / "more.txt").write_text("t5\nt7\n\n")
    report = train(
        TrainRequest(TINY, (talks,), where=("split=train",), without=("leaks.json", "more.txt"), output="runs/a")
    )
    assert report.conversations == 40 - 5
    assert read_ids(["leaks.json", "more.txt"]) == {"t1", "t2", "t4", "t5", "t7"}


def test_ids_that_cannot_be_read(talks, tmp_path):
    (tmp_path / "number.json").write_text("7")
    with pytest.raises(DataError, match="holds no lists of ids"):
        read_ids(["number.json"])
    (tmp_path / "talk.txt").write_text("tea\ncake\n")
    with pytest.raises(UsageError, match="plain text"):
        read_talks(["talk.txt"], max_line=1 << 20, where=("split=train",))


@pytest.mark.parametrize(
    ("spec", "message"), [("ngram", "is trained by one process"), ("tfidf", "is trained by one process")]
)
def test_processes_are_for_networks(talks, spec, message):
    with pytest.raises(UsageError, match=message):
        train(TrainRequest(spec, (talks,), processes=2))


def test_killed_and_started_again(talks, tmp_path):
    """kill -9 while it trains, then the same command: the bytes of the uninterrupted run."""
    spec = TINY.replace("epochs=3", "epochs=60,patience=60")
    command = [sys.executable, "-m", "dialometer", "train", spec, talks, "--quiet", "-o"]
    subprocess.run([*command, "runs/whole"], check=True, timeout=120)
    checkpoint = tmp_path / "runs/cut/work/fit/checkpoint.safetensors"
    child = subprocess.Popen([*command, "runs/cut"], start_new_session=True)
    try:
        limit = time.monotonic() + 100
        while not checkpoint.exists() and time.monotonic() < limit and child.poll() is None:
            time.sleep(0.02)
        child.send_signal(signal.SIGKILL)
        assert child.wait(30) == -signal.SIGKILL
    finally:
        child.kill()
        child.wait()
    subprocess.run([*command, "runs/cut"], check=True, timeout=120)
    weights = [(tmp_path / run / "model" / "arrays.safetensors").read_bytes() for run in ("runs/whole", "runs/cut")]
    assert weights[0] == weights[1]
