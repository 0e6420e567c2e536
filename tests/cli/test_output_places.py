"""Where a run may be written: what is there stays, what cannot be written is said, a refused run gives the place back."""

import json
import os
import signal
import time

import pytest

from tests.cli.conftest import ROWS, write


@pytest.fixture
def bad(tmp_path):
    return write(tmp_path / "bad.jsonl", [*ROWS, {"id": "x"}])


def test_an_output_that_cannot_be_written(cli, items):
    for place in (items, items / "below", items / "far" / "below", "x" * 300):
        said = cli("score", items, "-m", "bleu", "-o", place).refused()
        assert f"cannot write the run directory {place}" in said
        assert "-o DIR" in said


def test_a_folder_of_other_things_is_refused_and_not_touched(cli, items, tmp_path):
    (tmp_path / "thesis").mkdir()
    (tmp_path / "thesis" / "thesis.tex").write_text("precious")
    assert "thesis is not empty and holds no run" in cli("score", items, "-m", "bleu", "-o", "thesis").refused()
    assert [child.name for child in (tmp_path / "thesis").iterdir()] == ["thesis.tex"]


def test_another_run_is_refused_and_not_touched(cli, items, tmp_path):
    first = cli("score", items, "-m", "bleu", "-o", "r")
    assert "r holds another run (score-" in cli("score", items, "-m", "rouge", "-o", "r").refused()
    assert cli("score", items, "-m", "bleu", "-o", "r") == first


def test_a_refused_run_keeps_the_folders_that_were_there(cli, bad, items, tmp_path):
    (tmp_path / "mine").mkdir()
    for place in ("mine", "mine/a/b", "new/a/b"):
        assert "no 'response'" in cli("score", bad, "-m", "bleu", "-o", place).refused()
    assert sorted(child.name for child in tmp_path.iterdir()) == ["bad.jsonl", "items.jsonl", "mine"]
    assert list((tmp_path / "mine").iterdir()) == []
    assert cli("score", items, "-m", "bleu", "-o", "mine").code == 0


def test_a_refused_run_leaves_other_runs_alone(cli, bad, items, tmp_path):
    assert cli("score", items, "-m", "bleu").code == 0
    before = sorted(tmp_path.rglob("*"))
    cli("score", bad, "-m", "bleu").refused()
    assert sorted(tmp_path.rglob("*")) == before


def test_what_others_put_into_the_run_stays(cli, bad, tmp_path, monkeypatch):
    import dialometer.flows.score.score as flow

    real = flow.spool

    def spool(stream, folder, *arguments, **options):
        (folder.parent / "notes.txt").write_text("mine")
        return real(stream, folder, *arguments, **options)

    monkeypatch.setattr(flow, "spool", spool)
    cli("score", bad, "-m", "bleu", "-o", "r").refused()
    assert [child.name for child in (tmp_path / "r").iterdir()] == ["notes.txt"]


def test_a_killed_run_with_a_bad_end_gives_its_place_back(start, cli, items, tmp_path):
    """Killed while reading; the same command then meets the bad row, and the mended one finds the place free."""
    rows = [ROWS[0] | {"id": f"i{k}"} for k in range(20_000)]
    write(tmp_path / "long.jsonl", [*rows, {"id": "x"}])
    process = start("score", "long.jsonl", "-m", "bleu", "--shard", "100", "-o", "r")
    _wait_for(tmp_path / "r" / "work" / "shard-00003", process)
    process.send_signal(signal.SIGKILL)
    process.communicate(timeout=30)
    assert (tmp_path / "r" / "run.json").exists()
    assert "long.jsonl:20001 (x)" in cli("score", "long.jsonl", "-m", "bleu", "--shard", "100", "-o", "r").refused()
    assert list((tmp_path / "r").iterdir()) == []
    assert cli("score", items, "-m", "bleu", "-o", "r").code == 0


def test_a_run_killed_at_its_very_start_goes_on(cli, items, tmp_path):
    """Between the lock and the record there may be half a record."""
    (tmp_path / "r").mkdir()
    (tmp_path / "r" / ".lock").touch()
    (tmp_path / "r" / ".run.json.0a1b2c3d").write_text("{")
    done = cli("score", items, "-m", "bleu", "-o", "r", "--json")
    assert done.code == 0, done.err
    assert json.loads(done.out)["n"] == 4


def test_a_file_that_changed_under_the_run_leaves_no_mixture(cli, items, tmp_path, monkeypatch):
    """What was read of the changed file must not be taken for the old one when that comes back."""
    import dialometer.flows.score.score as flow

    real, old = flow.spool, items.read_bytes()

    def spool(stream, *arguments, **options):
        write(items, [row | {"response": "something else"} for row in ROWS])
        return real(stream, *arguments, **options)

    monkeypatch.setattr(flow, "spool", spool)
    assert "changed while it was read" in cli("score", items, "-m", "length", "-o", "r").refused()
    monkeypatch.setattr(flow, "spool", real)
    items.write_bytes(old)
    done = cli("score", items, "-m", "length", "-o", "r", "--items", "parquet", "--json")
    assert json.loads(done.out)["systems"]["eliza"]["words"]["mean"] == 2.5


def test_two_writers(start, cli, tmp_path):
    rows = [ROWS[0] | {"id": f"i{k}"} for k in range(40_000)]
    write(tmp_path / "long.jsonl", rows)
    process = start("score", "long.jsonl", "-m", "bleu", "--shard", "100", "-o", "r")
    _wait_for(tmp_path / "r" / "work", process)
    said = cli("score", "long.jsonl", "-m", "bleu", "--shard", "100", "-o", "r").refused()
    assert f"r is being written by process {process.pid}" in said
    assert (tmp_path / "r" / "run.json").exists()


def _wait_for(path, process) -> None:
    deadline = time.monotonic() + 60
    while not os.path.exists(path):
        assert process.poll() is None, process.stderr.read()
        assert time.monotonic() < deadline
        time.sleep(0.005)
