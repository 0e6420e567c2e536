"""The demo as a command, with the core alone: what is missing is named, the rest is shown, and a kill loses no step."""

import contextlib
import json
import os
import shlex
import signal
import subprocess
import sys
import time

import pytest

BEYOND = ("aiml", "chatterbot_corpus", "matplotlib", "nltk", "tokenizers", "torch", "wordllama", "yaml")
SCRIPT = f"""
from importlib.machinery import PathFinder
find = PathFinder.find_spec
PathFinder.find_spec = lambda name, *more: None if name in {BEYOND!r} else find(name, *more)  # as if not installed
from dialometer.cli.main import main
main()
"""
SIZE = ("demo", "-n", 2, "--turns", 2)
LEFT_OUT = ("the ChatterBot corpus", "eliza", "alice", "hred", "embedding", "autojudge", "conversation", "hybrid", "rerank")


@pytest.fixture(scope="module")
def core(tmp_path_factory):
    """A callable: arguments → a running command that has no package beyond the core; what still runs at the end is killed."""
    place, running = tmp_path_factory.mktemp("core"), []

    def start(*arguments):
        pipes = {"stdin": subprocess.DEVNULL, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
        command = [sys.executable, "-c", SCRIPT, *map(str, arguments)]
        process = subprocess.Popen(command, cwd=place, start_new_session=True, **pipes)
        running.append(process)
        return process

    start.place = place
    yield start
    for process in running:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.communicate(timeout=30)


@pytest.fixture(scope="module")
def whole(core):
    """What the demo printed, having ended well."""
    process = core(*SIZE, "-o", "whole")
    out, err = process.communicate(timeout=200)
    assert (process.returncode, err) == (0, "")
    return out


def test_what_is_left_out_comes_first_with_the_line_to_type(whole):
    lines = whole.splitlines()
    for place, name in enumerate(LEFT_OUT):
        assert lines[2 * place].startswith(f"left out: {name}: ")
        assert lines[2 * place + 1].startswith('  → pip install "dialometer[')
    assert lines[2 * len(LEFT_OUT)].startswith("[1/")


def test_it_ends_with_the_report_and_three_commands(core, whole):
    closing = whole.splitlines()[-6:]
    assert closing[0] == "The report: whole/report.html"
    assert (core.place / "whole" / "report.html").is_file()
    assert closing[2] == "Next:"
    for line in closing[3:]:
        program, *arguments = shlex.split(line)
        assert program == "dialometer"
        process = core(*arguments)
        process.communicate(timeout=100)
        assert process.returncode == 0, line


def test_killed_it_goes_on_to_the_same_bytes(core, whole):
    folder = core.place / "killed"
    process = core(*SIZE, "-o", "killed")
    end = time.monotonic() + 100
    while not (folder / "self-play" / "dialogues.jsonl").exists() and process.poll() is None:
        assert time.monotonic() < end
        time.sleep(0.005)
    os.kill(process.pid, signal.SIGKILL)
    process.communicate(timeout=30)
    assert process.returncode == -signal.SIGKILL
    trained = (folder / "tfidf" / "run.json").stat().st_mtime_ns
    again = core(*SIZE, "-o", "killed")
    out, _ = again.communicate(timeout=200)
    assert again.returncode == 0
    assert out.replace("killed", "whole") == whole
    assert (folder / "tfidf" / "run.json").stat().st_mtime_ns == trained
    for name in ("demo.json", "report.html"):
        assert (folder / name).read_bytes() == (core.place / "whole" / name).read_bytes()


def test_one_object(core, whole):
    process = core(*SIZE, "-o", "whole", "--json")
    found = json.loads(process.communicate(timeout=100)[0])
    assert found["report"] == "whole/report.html"
    assert [bot["name"] for bot in found["bots"]] == ["tfidf"]
    assert [one["what"] for one in found["left_out"]] == list(LEFT_OUT)
    assert found["meta"]["human"] is False


def test_quiet(core, whole):
    process = core(*SIZE, "-o", "whole", "--quiet")
    out, err = process.communicate(timeout=100)
    assert (process.returncode, out) == (0, "")
    assert err.startswith("WARNING: reprinted from ")
    assert len(err.splitlines()) == 1


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("-n", 1), "-n is 2 to 100"),
        (("--turns", 0), "--turns is 2 to 100"),
        (("-o", "two words"), "cannot be part of a spec"),
        (("--seed", 2**70), "--seed is -9223372036854775808 to"),
    ],
)
def test_what_cannot_be_shown_is_refused_at_once(cli, tmp_path, monkeypatch, arguments, words):
    assert words in cli("demo", *arguments).refused()
    assert list(tmp_path.iterdir()) == []


def test_a_place_that_cannot_be_written(core, tmp_path):
    (tmp_path / "file").write_text("here")
    process = core(*SIZE, "-o", tmp_path / "file")
    _, err = process.communicate(timeout=60)
    assert process.returncode == 2
    assert "cannot write the run directory" in err
