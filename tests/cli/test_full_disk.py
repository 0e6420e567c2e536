"""A disk that is full: one sentence that names the file, no leftovers, and the same command with space gives the result.

A limit on the size of files stands in for the full disk: writing past it fails halfway, as it does there.
"""

import json
import os
import resource
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tests.cli.conftest import write

ROWS = [
    {"id": f"i{k}", "system": "ab"[k % 2], "context": ["shall we ?"], "response": f"tea number {k} with milk",
     "references": [f"tea number {k // 2}"], "extra_text": "much more of it " * 10}
    for k in range(300)
]  # fmt: skip


def run(folder: Path, *arguments: str, most: int = 0, cache: str = "", typed: str = "") -> subprocess.CompletedProcess[str]:
    """A command in a folder; files of more than ``most`` bytes cannot be written."""

    def limit() -> None:
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (most, resource.RLIM_INFINITY))

    return subprocess.run(
        [sys.executable, "-m", "dialometer", *arguments], cwd=folder, capture_output=True, text=True, input=typed, timeout=120,
        env=os.environ | ({"DIALOMETER_CACHE": cache} if cache else {}), preexec_fn=limit if most else None,
    )  # fmt: skip


def leftovers(folder: Path) -> list[Path]:
    """Temporary files and folders, wherever they are."""
    return [path for path in folder.rglob(".*") if path.name != ".lock"]


COMMANDS = {
    "score": ("score items.jsonl -m length -m distinct --resamples 0 -o out", "out/work/shard-00000"),
    "train": ("train lsi items.jsonl -o out", "out/model"),
    "train random": ("train random items.jsonl -o out", "out/model"),
    "convert": ("convert items.jsonl -o out.jsonl", "out.jsonl"),
    "convert csv": ("convert items.jsonl -o out.csv", "out.csv"),
    "convert gz": ("convert items.jsonl -o out.tsv.gz", "out.tsv.gz"),
    "convert parquet": ("convert items.jsonl -o out.parquet", "out.parquet"),
}


@pytest.mark.parametrize("name", COMMANDS)
def test_one_sentence_no_leftovers_and_it_goes_on(tmp_path, name):
    write(tmp_path / "items.jsonl", ROWS)
    command, file = COMMANDS[name]
    done = run(tmp_path, *command.split(), most=1200)
    assert done.returncode == 2, done
    said = [line for line in done.stderr.splitlines() if not line.startswith("WARNING: cannot keep")]
    assert len(said) == 2, done.stderr
    assert said[0].startswith(f"error: {file}")
    assert said[0].endswith(": file too large")
    assert leftovers(tmp_path) == []
    done = run(tmp_path, *command.split())
    assert done.returncode == 0, done.stderr
    (tmp_path / "fresh").mkdir()
    write(tmp_path / "fresh" / "items.jsonl", ROWS)
    assert run(tmp_path / "fresh", *command.split()).returncode == 0
    for path in ("out/scores.parquet", "out/model/arrays.safetensors", *(row[1] for row in COMMANDS.values())):
        if (tmp_path / "fresh" / path).is_file():
            assert (tmp_path / path).read_bytes() == (tmp_path / "fresh" / path).read_bytes()


def test_chat_ends_and_keeps_what_it_kept(tmp_path):
    """It said so again at every turn, and left a temporary file each time."""
    done = run(tmp_path, "chat", "parrot", "-o", "talk.jsonl", most=3000, typed="I like green tea with milk .\n" * 200)
    assert done.returncode == 2
    assert done.stderr.splitlines()[0] == "error: talk.jsonl: file too large"
    assert len(done.stderr.splitlines()) == 2
    assert [path.name for path in tmp_path.iterdir()] == ["talk.jsonl"]
    (row,) = map(json.loads, (tmp_path / "talk.jsonl").read_text().splitlines())
    assert len(row["turns"]) == 2 * done.stdout.count("\n") > 0


def test_a_file_that_cannot_be_saved_to_is_told_and_the_chat_goes_on(tmp_path):
    done = run(tmp_path, "chat", "parrot", most=10, typed="tea ?\n/save talk.jsonl\nmilk ?\n")
    assert (done.returncode, done.stdout) == (0, "tea ?\nmilk ?\n")
    assert "cannot write talk.jsonl: file too large" in done.stderr
    assert list(tmp_path.iterdir()) == []


def test_a_full_cache_costs_one_warning(tmp_path):
    """Several metrics, each with tables to keep; without the cache the numbers are the same."""
    write(tmp_path / "items.jsonl", ROWS)
    (tmp_path / "cache").symlink_to("/dev/full")
    arguments = [
        "score",
        "items.jsonl",
        "-m",
        "bleu",
        "-m",
        "rouge(tok=13a)",
        "--resamples",
        "0",
        "--json",
        "--shard",
        "100",
    ]
    done = run(tmp_path, *arguments, "-o", "one", cache=str(tmp_path / "cache" / "below"))
    assert done.returncode == 0, done.stderr
    warnings = [line for line in done.stderr.splitlines() if "going on without" in line]
    assert len(warnings) == 1, done.stderr
    other = run(tmp_path, *arguments, "-o", "two", cache=str(tmp_path / "sound"))
    assert other.stderr == ""
    assert json.loads(done.stdout)["systems"] == json.loads(other.stdout)["systems"]
