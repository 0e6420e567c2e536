"""kill -9 of play at random moments, then the same command: the same bytes come out, and no kept turn is asked for again."""

import contextlib
import os
import random
import signal
import subprocess
import sys
import time

import pytest

N, TURNS, BATCH = 24, 6, 8
TALKER = "talker(delay=0.03,refuses=moon,log={})"
SCRIPT = "from tests.bots.talkers import register; register(); from dialometer.cli.main import main; main()"


@pytest.fixture
def start(tmp_path, request):
    """Start the command; whatever still runs at the end is killed."""
    running = []

    def begin(folder):
        bot = TALKER.format(tmp_path / "calls")
        arguments = ["play", "--a", bot, "--a", "parrot", "-n", N, "--turns", TURNS, "--batch", BATCH, "--quiet"]
        arguments += ["-o", tmp_path / folder]
        process = subprocess.Popen(
            [sys.executable, "-c", SCRIPT, *map(str, arguments)], cwd=request.config.rootpath, start_new_session=True
        )
        running.append(process)
        return process

    yield begin
    for process in running:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait(10)


def steps(folder):
    """Whole lines in the journals."""
    return sum(path.read_bytes().count(b"\n") for path in (folder / "work").glob("*/*.jsonl"))


def kill_after(process, folder, number, pause):
    """Kill once there are so many steps, and a little later; False if it had ended by itself."""
    end = time.monotonic() + 60
    while steps(folder) < number and process.poll() is None:
        assert time.monotonic() < end
        time.sleep(0.002)
    time.sleep(pause)
    os.kill(process.pid, signal.SIGKILL)
    return process.wait(10) == -signal.SIGKILL


def test_killed_runs_end_with_the_same_bytes(start, tmp_path):
    assert start("whole").wait(120) == 3  # some dialogues fail, by design
    calls = (tmp_path / "calls").read_text().count("\n")
    (tmp_path / "calls").unlink()
    folder, rng, kills = tmp_path / "killed", random.Random(5), 0
    for number in (0, 4, 15):
        before = steps(folder)
        kills += kill_after(start("killed"), folder, number, rng.uniform(0, 0.08))
        assert steps(folder) >= before
    assert kills >= 2
    assert start("killed").wait(120) == 3
    whole, killed = ((tmp_path / name / "dialogues.jsonl").read_bytes() for name in ("whole", "killed"))
    assert whole == killed
    assert whole.count(b"\n") == 2 * N
    assert b'"error"' in whole
    again = (tmp_path / "calls").read_text().count("\n")
    assert calls <= again <= calls + kills  # at most the turn in flight is asked for again
    assert not (folder / "work").exists()
