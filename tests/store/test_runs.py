"""Run directories: named by content, locked, never half-written."""

import json
import multiprocessing
import os
import signal
import time
from datetime import UTC, datetime

import numpy as np
import pytest

from dialometer.core.atomic import write_folder, write_json
from dialometer.core.cache import cached, content_key
from dialometer.core.errors import RunError, UsageError
from dialometer.store.parts import read_part, write_part
from dialometer.store.runs import file_hash, open_run


def test_the_same_identity_is_the_same_run(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    first = open_run("score", {"a": 1}, {"x": 1})
    first.finish()
    first.close()
    again = open_run("score", {"a": 2}, {"x": 1})
    assert again.done
    assert again.folder == first.folder
    again.close()
    other = open_run("score", {"a": 1}, {"x": 2})
    assert other.folder != first.folder
    assert not other.done
    other.close()


def test_a_second_writer_is_refused_and_told_who_writes(tmp_path):
    run = open_run("score", {}, {"x": 1}, folder=str(tmp_path / "r"))
    with pytest.raises(RunError, match=f"being written by process {os.getpid()}"):
        open_run("score", {}, {"x": 1}, folder=str(tmp_path / "r"))
    run.close()
    open_run("score", {}, {"x": 1}, folder=str(tmp_path / "r")).close()


def _hold(folder, ready):
    run = open_run("score", {}, {"x": 1}, folder=folder)
    ready.set()
    time.sleep(60)
    run.close()


def test_a_dead_owners_lock_is_taken_over(tmp_path):
    context = multiprocessing.get_context("spawn")
    ready = context.Event()
    owner = context.Process(target=_hold, args=(str(tmp_path / "r"), ready))
    owner.start()
    try:
        assert ready.wait(30)
        with pytest.raises(RunError, match="being written"):
            open_run("score", {}, {"x": 1}, folder=str(tmp_path / "r"))
    finally:
        os.kill(owner.pid, signal.SIGKILL)
        owner.join(10)
    open_run("score", {}, {"x": 1}, folder=str(tmp_path / "r")).close()


def test_a_folder_that_holds_something_else_is_refused(tmp_path):
    open_run("score", {}, {"x": 1}, folder=str(tmp_path / "r")).close()
    with pytest.raises(RunError, match="holds another run"):
        open_run("score", {}, {"x": 2}, folder=str(tmp_path / "r"))
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "thesis.tex").write_text("precious")
    with pytest.raises(RunError, match="not empty and holds no run"):
        open_run("score", {}, {"x": 1}, folder=str(tmp_path / "mine"))
    (tmp_path / "file").write_text("")
    with pytest.raises(UsageError, match="cannot write the run directory"):
        open_run("score", {}, {"x": 1}, folder=str(tmp_path / "file"))


def test_a_discarded_run_takes_its_own_files_and_folders_along(tmp_path):
    run = open_run("score", {}, {"x": 1}, folder=str(tmp_path / "a" / "b"))
    (run.work / "shard").mkdir()
    run.discard()
    run.close()
    assert list(tmp_path.iterdir()) == []
    (tmp_path / "mine").mkdir()
    run = open_run("score", {}, {"x": 1}, folder=str(tmp_path / "mine"))
    (tmp_path / "mine" / "notes.txt").write_text("precious")
    run.discard()
    run.close()
    assert [child.name for child in (tmp_path / "mine").iterdir()] == ["notes.txt"]


def test_a_lock_that_was_taken_away_meanwhile_is_not_believed(tmp_path, monkeypatch):
    """The owner gives the run up just when another process has opened its lock."""
    import dialometer.store.runs as runs

    owner = open_run("score", {}, {"x": 1}, folder=str(tmp_path / "r"))
    real, calls = runs._take, []

    def take(lock, path):
        if not calls:
            owner.discard()
            owner.close()
        calls.append(path)
        real(lock, path)

    monkeypatch.setattr(runs, "_take", take)
    run = open_run("score", {}, {"x": 2}, folder=str(tmp_path / "r"))
    assert len(calls) == 2
    with pytest.raises(RunError, match="being written"):
        open_run("score", {}, {"x": 2}, folder=str(tmp_path / "r"))
    run.close()


def test_a_refused_folder_is_not_touched(tmp_path):
    (tmp_path / "thesis.tex").write_text("precious")
    with pytest.raises(RunError, match="not empty and holds no run"):
        open_run("score", {}, {"x": 1}, folder=str(tmp_path))
    assert [child.name for child in tmp_path.iterdir()] == ["thesis.tex"]


def test_a_damaged_record_names_the_way_out(tmp_path):
    open_run("score", {}, {"x": 1}, folder=str(tmp_path / "r")).close()
    (tmp_path / "r" / "run.json").write_text("{")
    with pytest.raises(RunError, match="cannot be read") as caught:
        open_run("score", {}, {"x": 1}, folder=str(tmp_path / "r"))
    assert "rm -r" in caught.value.hint


def test_writes_leave_no_parts_behind(tmp_path):
    write_json(tmp_path / "a.json", {"x": float("nan")})
    write_part(tmp_path / "a.npy", np.arange(3))
    assert read_part(tmp_path / "a.npy").tolist() == [0, 1, 2]
    write_folder(tmp_path / "folder", lambda folder: (folder / "x").write_text("1"))
    write_folder(tmp_path / "folder", lambda folder: (folder / "y").write_text("2"))
    assert sorted(p.name for p in tmp_path.iterdir()) == ["a.json", "a.npy", "folder"]
    assert [p.name for p in (tmp_path / "folder").iterdir()] == ["y"]
    assert (tmp_path / "a.json").read_text() == '{\n  "x": null\n}\n'


def test_file_hash_is_of_the_content(tmp_path):
    (tmp_path / "a").write_text("same")
    (tmp_path / "b").write_text("same")
    (tmp_path / "c").write_text("other")
    assert file_hash(tmp_path / "a") == file_hash(tmp_path / "b") != file_hash(tmp_path / "c")


@pytest.mark.parametrize("damage", ["truncate", "flip", "no index", "not numpy"])
def test_a_damaged_cache_entry_is_made_anew_with_one_warning(tmp_path, monkeypatch, caplog, damage):
    monkeypatch.setenv("DIALOMETER_CACHE", str(tmp_path))
    made = []

    def make():
        made.append(1)
        return {"x": np.arange(1000), "y": np.ones(3)}

    key = content_key("some", b"content", np.arange(3))
    assert cached("things", key, make)["x"][999] == 999
    assert cached("things", key, make)["y"].tolist() == [1, 1, 1]
    assert len(made) == 1
    path = tmp_path / "things" / key / "x.npy"
    data = bytearray(path.read_bytes())
    if damage == "truncate":
        path.write_bytes(data[:500])
    elif damage == "flip":
        data[700] ^= 1
        path.write_bytes(data)
    elif damage == "no index":
        (path.parent / "arrays.json").unlink()
    else:
        path.write_bytes(b"hello")
    assert cached("things", key, make)["x"].tolist() == list(range(1000))
    assert len(made) == 2
    assert [record.levelname for record in caplog.records] == ["WARNING"]
    assert "damaged" in caplog.text


def test_a_flipped_byte_amid_a_large_cache_entry_is_noticed(tmp_path, monkeypatch, caplog):
    """Above 16 MB too the whole file is looked at, not its ends alone."""
    monkeypatch.setenv("DIALOMETER_CACHE", str(tmp_path))
    made = []

    def make():
        made.append(1)
        return {"x": np.arange(2_500_000)}

    cached("things", "large", make)
    path = tmp_path / "things" / "large" / "x.npy"
    size = path.stat().st_size
    assert size > 16 << 20
    with path.open("r+b") as file:
        file.seek(size // 2)
        (byte,) = file.read(1)
        file.seek(size // 2)
        file.write(bytes([byte ^ 1]))
    assert (cached("things", "large", make)["x"] == np.arange(2_500_000)).all()
    assert len(made) == 2
    assert [record.levelname for record in caplog.records] == ["WARNING"]
    assert "damaged" in caplog.text
    cached("things", "large", make)
    assert len(made) == 2


def test_an_unwritable_cache_does_not_stop_the_work(tmp_path, monkeypatch, caplog):
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("DIALOMETER_CACHE", str(tmp_path / "file"))
    assert cached("things", "k", lambda: {"x": np.arange(3)})["x"].tolist() == [0, 1, 2]
    assert "cannot keep" in caplog.text


def finished_run(folder, text="old"):
    run = open_run("score", {}, {"x": 1}, folder=str(folder))
    (folder / "results.txt").write_text(text)
    run.finish()
    run.close()
    return run


def names(folder):
    return sorted(child.name for child in folder.iterdir())


def test_a_run_keeps_when_it_was_finished(tmp_path):
    run = finished_run(tmp_path / "r")
    told = datetime.fromisoformat(run.finished)
    assert abs((datetime.now(UTC) - told).total_seconds()) < 600
    assert json.loads((tmp_path / "r" / "run.json").read_text())["finished"] == run.finished
    record = json.loads((tmp_path / "r" / "run.json").read_text())
    del record["finished"]  # as runs were written before it was kept
    (tmp_path / "r" / "run.json").write_text(json.dumps(record))
    os.utime(tmp_path / "r" / "run.json", (0, 86400))
    again = open_run("score", {}, {"x": 1}, folder=str(tmp_path / "r"))
    assert again.finished == "1970-01-02T00:00:00+00:00"
    again.close()


def test_a_fresh_run_replaces_a_finished_one_once_it_is_finished_itself(tmp_path):
    finished_run(tmp_path / "r")
    run = open_run("score", {}, {"x": 1}, folder=str(tmp_path / "r"), fresh=True)
    assert not run.done
    assert names(tmp_path / "r") == [".lock", "run.json"]
    assert (tmp_path / ".r.replaced" / "results.txt").read_text() == "old"
    (tmp_path / "r" / "results.txt").write_text("new")
    run.finish()
    run.close()
    assert names(tmp_path) == ["r"]
    assert (tmp_path / "r" / "results.txt").read_text() == "new"


def test_a_fresh_run_that_is_refused_gives_the_finished_one_back(tmp_path):
    finished_run(tmp_path / "r")
    run = open_run("score", {}, {"x": 1}, folder=str(tmp_path / "r"), fresh=True)
    run.discard()
    run.close()
    assert names(tmp_path) == ["r"]
    again = open_run("score", {}, {"x": 1}, folder=str(tmp_path / "r"))
    assert again.done
    assert (tmp_path / "r" / "results.txt").read_text() == "old"
    again.close()


def test_a_fresh_run_that_was_killed_goes_on_and_then_replaces_the_finished_one(tmp_path):
    finished_run(tmp_path / "r")
    killed = open_run("score", {}, {"x": 1}, folder=str(tmp_path / "r"), fresh=True)
    (killed.work / "part").write_text("half")
    killed.close()
    run = open_run("score", {}, {"x": 1}, folder=str(tmp_path / "r"))
    assert (run.work / "part").read_text() == "half"
    run.finish()
    run.close()
    assert names(tmp_path) == ["r"]


def test_fresh_drops_an_unfinished_run_and_keeps_the_finished_one_before_it(tmp_path):
    finished_run(tmp_path / "r")
    killed = open_run("score", {}, {"x": 1}, folder=str(tmp_path / "r"), fresh=True)
    (killed.work / "part").write_text("half")
    killed.close()
    run = open_run("score", {}, {"x": 1}, folder=str(tmp_path / "r"), fresh=True)
    assert names(run.work) == []
    assert names(tmp_path) == [".r.replaced", "r"]
    run.discard()
    run.close()
    assert (tmp_path / "r" / "results.txt").read_text() == "old"


def test_fresh_touches_no_folder_of_others(tmp_path, monkeypatch):
    finished_run(tmp_path / "r")
    with pytest.raises(RunError, match="holds another run"):
        open_run("score", {}, {"x": 2}, folder=str(tmp_path / "r"), fresh=True)
    other = open_run("score", {}, {"x": 2}, folder=str(tmp_path / ".r.replaced"))
    other.close()
    with pytest.raises(RunError, match="is in the way"):
        open_run("score", {}, {"x": 1}, folder=str(tmp_path / "r"), fresh=True)
    monkeypatch.chdir(tmp_path / "r")
    with pytest.raises(RunError, match="from inside it"):
        open_run("score", {}, {"x": 1}, folder=str(tmp_path / "r"), fresh=True)
    assert (tmp_path / "r" / "results.txt").read_text() == "old"
    assert (tmp_path / ".r.replaced" / "run.json").exists()


def test_a_run_that_is_being_written_is_not_set_aside(tmp_path):
    run = open_run("score", {}, {"x": 1}, folder=str(tmp_path / "r"))
    with pytest.raises(RunError, match="being written"):
        open_run("score", {}, {"x": 1}, folder=str(tmp_path / "r"), fresh=True)
    run.close()


def test_a_cache_entry_of_an_earlier_version_is_made_anew_without_a_word(tmp_path, monkeypatch, caplog):
    monkeypatch.setenv("DIALOMETER_CACHE", str(tmp_path))
    key = content_key("old")
    (tmp_path / "things" / key).mkdir(parents=True)
    (tmp_path / "things" / key / "index.json").write_text("{}")
    assert cached("things", key, lambda: {"x": np.arange(3)})["x"].tolist() == [0, 1, 2]
    assert caplog.records == []
