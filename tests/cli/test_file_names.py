"""Any legal file name is one, for inputs and outputs; what a killed process left behind is removed by the next."""

import os
import signal
import time

import pytest

from tests.cli.conftest import ROWS, write

NAMES = ["processes:0", "file:x", "s3:bucket", "c:\\items", "a b", "%41", "items#1", "é", "'q\"", "-x", "x" * 240]


@pytest.mark.parametrize("name", NAMES, ids=lambda name: name[:12])
@pytest.mark.parametrize("form", ["jsonl", "parquet", "csv"])
def test_any_name_can_be_written_and_read(cli, items, tmp_path, name, form):
    path = f"./{name}.{form}"
    done = cli("convert", items, "-o", path)
    assert done.code == 0, done.err
    assert sorted(child.name for child in tmp_path.iterdir()) == sorted(["items.jsonl", f"{name}.{form}"])
    done = cli("convert", path, "-o", "back.jsonl")
    assert done.code == 0, done.err
    assert (tmp_path / "back.jsonl").read_text().count("\n") == len(ROWS)


@pytest.mark.parametrize("name", ["processes:0", "file:x", "a b"])
def test_any_name_can_be_a_run(cli, items, tmp_path, name):
    done = cli("score", items, "-m", "length", "-o", name, "--items", "parquet")
    assert done.code == 0, done.err
    assert (tmp_path / name / "scores.parquet").is_file()
    from dialometer.contracts.score import ScoreRequest
    from dialometer.flows.score.score import score

    assert len(score(ScoreRequest((str(items),), ("length",), output=f"./{name}")).scores().items) == len(ROWS)


def test_what_a_killed_conversion_left_is_removed_by_the_next(start, cli, tmp_path):
    row = {"response": "i like green tea with milk " * 20, "references": ["tea with milk"]}
    write(tmp_path / "many.jsonl", [row | {"id": f"i{k}"} for k in range(40_000)])
    write(tmp_path / "few.jsonl", ROWS)
    process = start("convert", "many.jsonl", "-o", "out.jsonl.gz")
    deadline = time.monotonic() + 60
    while not (left := [path for path in tmp_path.glob(".*") if path.stat().st_size > 1000]):
        assert process.poll() is None, process.stderr.read()
        assert time.monotonic() < deadline
        time.sleep(0.005)
    assert cli("convert", "few.jsonl", "-o", "other.jsonl").code == 0  # the owner lives: its file stays
    os.kill(process.pid, signal.SIGSTOP)
    assert left[0].exists() or (tmp_path / "out.jsonl.gz").exists()
    process.kill()
    process.wait(timeout=30)
    from dialometer.core import atomic

    atomic._swept.clear()  # the next process
    assert cli("convert", "few.jsonl", "-o", "out.jsonl.gz").code == 0
    assert sorted(path.name for path in tmp_path.iterdir()) == ["few.jsonl", "many.jsonl", "other.jsonl", "out.jsonl.gz"]
