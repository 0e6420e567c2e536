"""FIFOs, devices, files of the kernel, directories and values nested without end, wherever a command takes a path."""

import gzip
import json
import os
import resource
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from tests.cli.conftest import Done, write

SEVERAL = """
import contextlib, io, json, sys
from dialometer.cli.main import main
for arguments in json.loads(sys.argv[1]):
    sys.argv = ["dialometer", *arguments]
    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        try:
            main()
        except SystemExit as ended:
            code = ended.code
    print(json.dumps([code, out.getvalue(), err.getvalue()]), flush=True)
"""
RATED = [
    {"id": f"i{k}", "system": "ab"[k % 2], "context": ["hi"], "response": f"tea {k}", "references": ["tea"],
     "ratings": {"overall": [k % 5, (k + 1) % 5]}}
    for k in range(8)
]  # fmt: skip
INPUTS = {
    "score": "score {} -m length",
    "score --hyp": "score --hyp {} --ref lines.txt -m bleu",
    "score --ref": "score --hyp lines.txt --ref {} -m bleu",
    "score --config": "score items.jsonl -m length --config {}",
    "cider(idf)": "score items.jsonl -m cider(idf={})",
    "glove": "score items.jsonl -m embedding(vectors=glove(path={}))",
    "word2vec": "score items.jsonl -m embedding(vectors=word2vec(path={}))",
    "why": "why {} --id i1 -m bleu",
    "agree": "agree {} -q overall",
    "agree --ratings": "agree items.jsonl --ratings {} -q overall",
    "meta": "meta {} -m length -q overall",
    "meta --ratings": "meta items.jsonl -m length -q overall --ratings {}",
    "meta --scores": "meta items.jsonl --scores {} -q overall",
    "meta --systems": "meta items.jsonl -m length -q overall --systems {}",
    "meta --preferences": "meta items.jsonl -m length -q overall --preferences {}",
    "stress": "stress {} -m length",
    "power": "power {} -q overall --effect 0.3",
    "power --scores": "power items.jsonl -q overall --scores {} --effect 0.3",
    "train": "train lsi {}",
    "train text": "train random {}",
    "train --without": "train random items.jsonl --without {}",
    "train --ratings": "train humanlike items.jsonl -q overall --ratings {}",
    "play --openers": "play --a eliza --openers {}",
    "play --training": "play --a eliza -n 2 --training {}",
    "compare": "compare {} items.jsonl",
    "compare --openers": "compare --a eliza --a parrot --openers {}",
    "compare --ratings": "compare items.jsonl --ratings {}",
    "convert": "convert {} -o out.jsonl",
    "convert --from": "convert {} --from parquet -o out.jsonl",
    "convert --hyp": "convert --hyp {} -o out.jsonl",
    "convert --builder": "convert --builder reddit {} -o out.jsonl",
    "chat --config": "chat eliza --config {}",
    "serve --config": "serve eliza --config {}",
}


@pytest.fixture
def several(tmp_path):
    """A callable: argument lists → how each ended, in one process with little memory that must be done within a minute."""
    write(tmp_path / "items.jsonl", RATED)
    (tmp_path / "lines.txt").write_text("tea\ncoffee\n")

    def run(*commands: list[str]) -> list[Done]:
        done = subprocess.run(
            [sys.executable, "-c", SEVERAL, json.dumps(commands)], cwd=tmp_path, capture_output=True, text=True,
            stdin=subprocess.DEVNULL, timeout=60, preexec_fn=_little_memory,
        )  # fmt: skip
        assert done.returncode == 0, done.stderr
        return [Done(*json.loads(line)) for line in done.stdout.splitlines()]

    return run


def _little_memory() -> None:
    resource.setrlimit(resource.RLIMIT_AS, (6 << 30, 6 << 30))


@pytest.fixture
def special(tmp_path):
    """Paths of every kind that is no regular file."""
    os.mkfifo(tmp_path / "fifo")
    os.mkfifo(tmp_path / "fifo.txt")
    return ["fifo", "fifo.txt", "/dev/zero", "/dev/full", "/proc/self/environ", "/proc/kmsg"]


def words(command: str, path: str) -> list[str]:
    """The arguments of a command."""
    return shlex.split(command.format(path))


@pytest.mark.parametrize("slot", INPUTS)
def test_only_regular_files_are_read(several, special, tmp_path, slot):
    before = sorted(tmp_path.iterdir())
    for path, done in zip(special, several(*(words(INPUTS[slot], path) for path in special)), strict=True):
        said = done.refused()
        assert Path(path).name in said
        assert "not a regular file" in said
    assert sorted(tmp_path.iterdir()) == before


@pytest.mark.parametrize("slot", [slot for slot in INPUTS if not slot.endswith("--scores")])
def test_a_directory_is_refused(several, tmp_path, slot):
    (tmp_path / "folder").mkdir()
    (done,) = several(words(INPUTS[slot], "./folder"))
    assert "folder" in done.refused()


@pytest.mark.parametrize(
    "slot", ["score --config", "meta --systems", "score", "meta --ratings", "train --without", "agree"], ids=str
)
def test_values_nested_too_deeply_are_a_sentence(several, tmp_path, slot):
    deep = 100_000
    toml = slot in ("score --config", "meta --systems")
    (tmp_path / "deep.toml").write_text("seed = " + "[" * deep + "]" * deep)
    (tmp_path / "deep.json").write_text('{"id": ' + "[" * deep + "]" * deep + "}")
    (done,) = several(words(INPUTS[slot], "deep.toml" if toml else "deep.json"))
    if slot == "train --without":  # what is not JSON is ids, one a line
        assert "Traceback" not in done.err
    else:
        assert "deep." in done.refused()


@pytest.mark.parametrize("slot", ["score --config", "meta --systems", "train --without", "cider(idf)"])
def test_a_file_that_is_read_at_once_has_a_limit(several, tmp_path, slot):
    """A sparse file of 50 GB: no byte of it is on the disk."""
    with (tmp_path / "huge").open("wb") as file:
        file.truncate(50 << 30)
    (done,) = several(words(INPUTS[slot], "huge"))
    assert "the most that is read at once" in done.refused()


def test_redirected_standard_input_is_a_file_and_a_pipe_is_not(spawn, items, tmp_path):
    with items.open() as file:
        done = spawn("convert", "/dev/stdin", "--from", "jsonl", "-o", "out.jsonl", stdin=file)
    assert done.code == 0, done.err
    assert (tmp_path / "out.jsonl").read_text().count("\n") == 4
    reading, writing = os.pipe()
    try:
        said = spawn("convert", f"/dev/fd/{reading}", "-o", "out.jsonl", pass_fds=[reading]).refused()
    finally:
        os.close(reading)
        os.close(writing)
    assert "is a FIFO (a pipe), not a regular file" in said
    assert "write it to a file first" in said


OUTPUTS = {
    "convert": "convert items.jsonl --to jsonl -o {}",
    "convert gz": "convert items.jsonl --to csv -o {}",
    "convert parquet": "convert items.jsonl --to parquet -o {}",
    "chat": "chat eliza -o {}",
    "score": "score items.jsonl -m length -o {}",
    "train": "train random items.jsonl -o {}",
    "play": "play --a eliza -n 1 -o {}",
    "compare --study": "compare items.jsonl -q overall --study {}",
}


@pytest.mark.parametrize("slot", OUTPUTS)
def test_outputs_that_are_no_regular_files_are_refused(several, special, tmp_path, slot):
    """Devices are not replaced, FIFOs not opened; a directory is no output file, and a file no output directory."""
    (tmp_path / "folder").mkdir()
    folder = slot in ("score", "train", "play", "compare --study")
    places = ["fifo", "/dev/full", "lines.txt" if folder else "folder"]
    for place, done in zip(places, several(*(words(OUTPUTS[slot], place) for place in places)), strict=True):
        assert place in done.refused()
    assert not (tmp_path / "folder").is_file()
    assert (tmp_path / "lines.txt").read_text() == "tea\ncoffee\n"
    assert not os.path.isfile("/dev/full")


def test_a_packed_file_that_unpacks_without_end_is_refused(monkeypatch):
    from dialometer.core import files
    from dialometer.core.errors import DataError

    packed = gzip.compress(bytes(1 << 24))
    with pytest.raises(DataError, match="more than 1 MiB"):
        files.unpack_limited(packed, 1 << 20, "x.gz")
    assert len(files.unpack_limited(packed, 1 << 24, "x.gz")) == 1 << 24
