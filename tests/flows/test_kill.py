"""kill -9 of score, at random moments and once parts are finished, then the same command.

The same bytes come out, and finished parts are not made again.
"""

import contextlib
import gzip
import os
import random
import re
import signal
import subprocess
import sys
import time
from itertools import islice

import pytest

RESULTS = ("scores.parquet", "summary.json", "recipes.json", "run.json")
PAIRS, SHARD, KILLS = 20_000, 1_000, 2


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


def stamps(folder, pattern="*/*.npy"):
    """When each finished shard and part was written."""
    found = {}
    for path in (folder / "work").glob(pattern):
        if not path.name.startswith(".") and not path.parent.name.startswith("."):
            with contextlib.suppress(FileNotFoundError):  # a finished run takes its work away
                found[str(path)] = path.stat().st_mtime_ns
    return found


def kill(process):
    """Kill the command alone; its workers must notice by themselves."""
    os.kill(process.pid, signal.SIGKILL)
    return process.wait(10) == -signal.SIGKILL


def wait_for_parts(folder, number, process):
    """Until that many measured parts are finished."""
    end = time.monotonic() + 90
    while len(stamps(folder, "measure-*/*.npy")) < number:
        assert process.poll() is None, f"over before {number} parts were seen"
        assert time.monotonic() < end, f"no {number} parts in time"
        time.sleep(0.002)


def done(folder):
    return b'"done"' in (folder / "run.json").read_bytes()


def _undated(content):
    """Without the time at which a run was finished."""
    return re.sub(rb'"finished": "[^"]*"', b"", content)


def killed_with_parts(start, folder, engine, kept):
    """Kill once there is one finished part more than before; what was kept must still be there, untouched."""
    process = start(folder.name, engine)
    wait_for_parts(folder, len([path for path in kept if "/measure-" in path]) + 1, process)
    assert kill(process)
    assert not done(folder)
    found = stamps(folder)
    assert any("/measure-" in path for path in found)
    assert {path: stamp for path, stamp in found.items() if path in kept} == kept, "finished work was made again"
    return found


def killed_at_random(start, folder, engine, span, kept, rng):
    """Kill after some share of the time that a whole run takes."""
    process = start(folder.name, engine)
    time.sleep(rng.uniform(0.1, 0.5) * span)
    kill(process)
    if not (folder / "run.json").exists():
        return kept  # killed before it had begun
    if done(folder):
        return None
    found = stamps(folder)
    assert {path: stamp for path, stamp in found.items() if path in kept} == kept, "finished work was made again"
    return found


@pytest.mark.parametrize("engine", ["serial", "processes:2"])
def test_killed_runs_end_with_the_same_bytes(start, tmp_path, engine):
    begun = time.monotonic()
    assert start("whole", engine).wait(240) == 0
    span = time.monotonic() - begun
    folder, rng = tmp_path / "killed", random.Random(11)
    kept: dict[str, int] = {}
    for _ in range(2):
        kept = killed_with_parts(start, folder, engine, kept)
    for _ in range(KILLS):
        kept = killed_at_random(start, folder, engine, span, kept, rng)
        if kept is None:  # the machine was faster this time, and there is nothing left to kill
            break
    assert start("killed", engine).wait(240) == 0
    for name in RESULTS:
        left, right = ((tmp_path / place / name).read_bytes() for place in ("whole", "killed"))
        assert _undated(left.replace(b"/whole", b"/killed")) == _undated(right), name
    assert not (folder / "work").exists()
