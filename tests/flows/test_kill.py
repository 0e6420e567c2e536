"""kill -9 at random moments of score, then the same command: the same bytes, and finished parts are not made again."""

import contextlib
import gzip
import os
import random
import signal
import subprocess
import sys
import time
from itertools import islice

import pytest

RESULTS = ("scores.parquet", "summary.json", "recipes.json", "run.json")
PAIRS, SHARD, KILLS = 20_000, 1_000, 4


@pytest.fixture
def pairs(shared_data, tmp_path):
    target = tmp_path / "pairs.jsonl"
    with gzip.open(shared_data("turns/dstc6_t2.jsonl.gz"), "rb") as source, target.open("wb") as file:
        file.writelines(islice(source, PAIRS))
    return target


@pytest.fixture
def start(tmp_path, pairs):
    """Start the command; whatever still runs at the end is killed, with its workers."""
    running = []

    def begin(folder, engine):
        command = [sys.executable, "-m", "dialometer", "score", str(pairs), "-m", "bleu", "-m", "cider"]
        options = ["--tok", "whitespace", "--shard", str(SHARD), "--resamples", "50", "--engine", engine]
        process = subprocess.Popen(
            [*command, *options, "--no-cache", "-o", str(tmp_path / folder), "--quiet"], start_new_session=True
        )
        running.append(process)
        return process

    yield begin
    for process in running:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait(10)


def stamps(folder):
    """When each finished shard and part was written."""
    work = folder / "work"
    return {str(path): path.stat().st_mtime_ns for path in work.glob("*/*.npy") if not path.name.startswith(".")}


@pytest.mark.parametrize("engine", ["serial", "processes:2"])
def test_killed_runs_end_with_the_same_bytes(start, tmp_path, engine):
    whole = start("whole", engine)
    begun = time.monotonic()
    assert whole.wait(240) == 0
    span = time.monotonic() - begun
    rng = random.Random(11)
    kept: dict[str, int] = {}
    kills = 0
    for _ in range(KILLS):
        process = start("killed", engine)
        time.sleep(rng.uniform(0.1, 0.5) * span)
        os.kill(process.pid, signal.SIGKILL)
        kills += process.wait(10) == -signal.SIGKILL
        if not (tmp_path / "killed" / "run.json").exists():
            continue  # killed before it had begun
        if b'"done"' in (tmp_path / "killed" / "run.json").read_bytes():
            break
        found = stamps(tmp_path / "killed")
        assert {path: stamp for path, stamp in found.items() if path in kept} == kept, "finished work was made again"
        kept = found
    assert kills >= 1
    assert start("killed", engine).wait(240) == 0
    for name in RESULTS:
        left, right = ((tmp_path / folder / name).read_bytes() for folder in ("whole", "killed"))
        assert left.replace(b"/whole", b"/killed") == right, name
    assert not (tmp_path / "killed" / "work").exists()
