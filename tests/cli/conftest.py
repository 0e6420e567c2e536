"""The command line as tests use it: ``cli`` in this process, ``spawn`` in one of its own that a fixture ends."""

import json
import os
import subprocess
import sys
from dataclasses import dataclass

import pytest

from dialometer.cli.main import main

ROWS = [
    {"id": "a1", "system": "eliza", "context": ["hi"], "response": "i like tea", "references": ["i like green tea", "tea"]},
    {"id": "a2", "system": "eliza", "context": ["yo"], "response": "rain again", "references": ["it rains again", "rain"]},
    {"id": "b1", "system": "parry", "context": ["hi"], "response": "no tea", "references": ["i like green tea", "tea"]},
    {"id": "b2", "system": "parry", "context": ["yo"], "response": "", "references": ["it rains again", "rain"]},
]


@dataclass
class Done:
    """How a command ended."""

    code: int
    out: str
    err: str

    def refused(self) -> str:
        """What it said, having refused as it should: one sentence and a way out, and nothing else anywhere."""
        assert self.code == 2, self
        assert self.out == ""
        assert "Traceback" not in self.err
        lines = self.err.splitlines()
        assert len(lines) == 2, self.err
        assert lines[0].startswith("error: ")
        assert lines[1].startswith("  → ")
        assert len(lines[1]) > 5
        return self.err


@pytest.fixture
def cli(monkeypatch, capsys, tmp_path):
    """A callable: arguments → Done, through ``main`` in this process, standing in ``tmp_path``."""
    monkeypatch.chdir(tmp_path)

    def run(*arguments: object) -> Done:
        monkeypatch.setattr(sys, "argv", ["dialometer", *map(str, arguments)])
        with pytest.raises(SystemExit) as ended:
            main()
        shown = capsys.readouterr()
        return Done(ended.value.code, shown.out, shown.err)

    return run


@pytest.fixture
def start(tmp_path):
    """A callable: arguments → a running ``python -m dialometer``; what still runs at the end is killed."""
    running = []

    def begin(*arguments: object, **options) -> subprocess.Popen:
        command = [sys.executable, "-m", "dialometer", *map(str, arguments)]
        pipes = {"stdin": subprocess.DEVNULL, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
        environment = os.environ | options.pop("env", {})
        process = subprocess.Popen(command, cwd=tmp_path, env=environment, **(pipes | options))
        running.append(process)
        return process

    yield begin
    for process in running:
        if process.poll() is None:
            process.kill()
        process.communicate(timeout=30)


@pytest.fixture
def spawn(start):
    """A callable: arguments → Done, through a process of its own."""

    def run(*arguments: object, **options) -> Done:
        process = start(*arguments, **options)
        out, err = process.communicate(timeout=120)
        return Done(process.returncode, out, err)

    return run


@pytest.fixture
def items(tmp_path):
    """Four responses of two systems."""
    return write(tmp_path / "items.jsonl", ROWS)


def write(path, rows):
    """Rows as JSON lines."""
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return path
