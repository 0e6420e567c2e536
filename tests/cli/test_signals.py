"""SIGTERM and SIGHUP end a command as Ctrl-C does: one sentence, what it started is ended, the same command goes on."""

import json
import os
import signal
import sys
import time

import pytest

from tests.cli.conftest import write

SLOW = """
import json, sys, time
for line in sys.stdin:
    open("asked", "a").write(line)
    time.sleep(600)
"""
STOPPED = "error: stopped; the same command goes on from here"


def wait_for(path, process):
    """Until a file is there."""
    deadline = time.monotonic() + 60
    while not path.exists():
        assert process.poll() is None, process.stderr.read()
        assert time.monotonic() < deadline
        time.sleep(0.02)


def is_alive(pid: int) -> bool:
    """Whether a process runs; one that nobody has waited for does not."""
    try:
        with open(f"/proc/{pid}/stat") as file:
            return file.read().rsplit(")", 1)[1].split()[0] != "Z"
    except FileNotFoundError:
        return False


@pytest.mark.parametrize(("number", "code"), [(signal.SIGTERM, 143), (signal.SIGHUP, 129), (signal.SIGINT, 130)])
@pytest.mark.parametrize("engine", ["serial", "processes:2"])
def test_one_sentence_and_the_run_goes_on(start, spawn, tmp_path, number, code, engine):
    row = {"response": "i like green tea with milk", "references": ["tea with milk", "i like tea"]}
    write(tmp_path / "many.jsonl", [row | {"id": f"i{k}", "group": f"g{k % 50}"} for k in range(1000)])
    arguments = ["score", "many.jsonl", "-m", "rouge", "--shard", "5", "--engine", engine, "-o", "r", "--resamples", "0"]
    process = start(*arguments, start_new_session=True)
    wait_for(tmp_path / "r" / "work" / "shard-00020", process)
    os.kill(process.pid, number)
    out, err = process.communicate(timeout=60)
    assert (process.returncode, out) == (code, "")
    assert err.strip().splitlines()[-1] == STOPPED
    assert not [path for path in (tmp_path / "r").rglob(".*") if path.name != ".lock"]
    done = spawn(*arguments, "--json")
    assert done.code == 0, done.err
    assert json.loads(done.out)["n"] == 1000


@pytest.mark.parametrize(("number", "code"), [(signal.SIGTERM, 143), (signal.SIGHUP, 129)])
def test_the_program_of_a_bot_ends_too(start, tmp_path, number, code):
    program = f"import os; open('pid', 'w').write(str(os.getpid()));{SLOW}"
    (tmp_path / "bot.py").write_text(program)
    process = start("play", "--a", f'command(argv="{sys.executable} bot.py")', "-n", "1", "-o", "r")
    wait_for(tmp_path / "asked", process)
    os.kill(process.pid, number)
    _, err = process.communicate(timeout=60)
    assert (process.returncode, err.strip()) == (code, STOPPED)
    assert not is_alive(int((tmp_path / "pid").read_text()))


def test_a_second_signal_ends_it_at_once(start, tmp_path):
    """The first one waits for the program of the bot, which does not care."""
    program = "import signal; signal.signal(signal.SIGTERM, signal.SIG_IGN)\n" + SLOW
    (tmp_path / "bot.py").write_text(program)
    process = start("play", "--a", f'command(argv="{sys.executable} bot.py")', "-n", "1", "-o", "r")
    wait_for(tmp_path / "asked", process)
    os.kill(process.pid, signal.SIGTERM)
    time.sleep(0.5)
    assert process.poll() is None
    os.kill(process.pid, signal.SIGTERM)
    process.wait(timeout=60)
    assert process.returncode == -signal.SIGTERM


def test_an_ignored_signal_stays_ignored(start, tmp_path):
    """As under nohup."""
    (tmp_path / "bot.py").write_text(SLOW)
    process = start(
        "play", "--a", f'command(argv="{sys.executable} bot.py")', "-n", "1", "-o", "r",
        preexec_fn=lambda: signal.signal(signal.SIGHUP, signal.SIG_IGN),
    )  # fmt: skip
    wait_for(tmp_path / "asked", process)
    os.kill(process.pid, signal.SIGHUP)
    time.sleep(0.3)
    assert process.poll() is None
