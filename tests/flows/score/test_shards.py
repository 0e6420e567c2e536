"""Reading goes on where a killed run stopped: same shards, earlier rows not parsed again, ids still unique over the whole."""

import json

import pytest

from dialometer.core.errors import DataError
from dialometer.data.reader import ItemReader, sources
from dialometer.data.row_errors import Limits
from dialometer.flows.score.shards import shard_folder, spool

SIZE = 4


def rows(n):
    return [{"id": f"i{k}", "response": f"reply {k}", "references": [f"word {k % 3}"] * (k % 3)} for k in range(n)]


def talks(n):
    turns = [{"speaker": "ab"[t % 2], "text": f"turn {t}"} for t in range(4)]
    return [{"id": f"d{k}", "system": "bot", "turns": turns} for k in range(n)]


def write(path, items):
    path.write_text("".join(json.dumps(item) + "\n" for item in items), encoding="utf-8")
    return path


def read(files, folder, stop_after=None):
    """Spool; ``stop_after`` breaks off after so many shards, as a kill would."""
    folder.mkdir(exist_ok=True)

    def progress(stage, done, total):
        if stop_after is not None and done >= stop_after * SIZE:
            raise KeyboardInterrupt

    return spool(ItemReader(sources(files), Limits()), folder, SIZE, contexts=True, keep=False, progress=progress)


def contents(folder):
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


@pytest.mark.parametrize("make", [rows, talks])
@pytest.mark.parametrize("stop", [1, 2, 4])
def test_a_resumed_spool_is_the_whole_one(tmp_path, make, stop):
    files = [
        write(tmp_path / "a.jsonl", make(7)),
        write(tmp_path / "b.jsonl", [r | {"id": f"x{r['id']}"} for r in make(9)]),
    ]
    read(files, tmp_path / "whole")
    with pytest.raises(KeyboardInterrupt):
        read(files, tmp_path / "again", stop)
    before = {path: path.stat().st_mtime_ns for path in (tmp_path / "again").rglob("*.npy")}
    found = read(files, tmp_path / "again")
    assert contents(tmp_path / "again") == contents(tmp_path / "whole")
    assert before == {path: path.stat().st_mtime_ns for path in before}
    assert found.n == sum(len(list(c.ids)) for c in found.corpora())


def test_rows_that_were_read_are_not_parsed_again(tmp_path, monkeypatch):
    import dialometer.data.formats.jsonl as jsonl

    file = write(tmp_path / "a.jsonl", rows(20))
    with pytest.raises(KeyboardInterrupt):
        read([file], tmp_path / "r", 3)
    parsed = []
    real = jsonl.item_of
    monkeypatch.setattr(jsonl, "item_of", lambda value, *rest: parsed.append(value["id"]) or real(value, *rest))
    read([file], tmp_path / "r")
    assert parsed == [f"i{k}" for k in range(11, 20)]


def test_a_twin_of_a_row_read_before_the_kill_is_still_refused(tmp_path):
    file = write(tmp_path / "a.jsonl", [*rows(12), rows(1)[0]])
    with pytest.raises(KeyboardInterrupt):
        read([file], tmp_path / "r", 2)
    with pytest.raises(DataError, match="same id"):
        read([file], tmp_path / "r")


def test_names_with_a_hash_sign_are_no_twins_of_conversations(tmp_path):
    items = [{"id": f"a#{k}", "response": "x"} for k in range(6)] + [{"id": "a", "response": "y"}]
    file = write(tmp_path / "a.jsonl", items)
    with pytest.raises(KeyboardInterrupt):
        read([file], tmp_path / "r", 1)
    assert read([file], tmp_path / "r").n == 7


@pytest.mark.parametrize("form", ["csv", "parquet"])
def test_formats_that_cannot_skip_resume_too(tmp_path, form):
    from dialometer.contracts.convert import ConvertRequest
    from dialometer.flows.convert import convert

    plain = write(tmp_path / "a.jsonl", rows(11))
    convert(ConvertRequest((str(plain),), str(tmp_path / f"a.{form}")))
    read([tmp_path / f"a.{form}"], tmp_path / "whole")
    with pytest.raises(KeyboardInterrupt):
        read([tmp_path / f"a.{form}"], tmp_path / "again", 2)
    read([tmp_path / f"a.{form}"], tmp_path / "again")
    assert contents(tmp_path / "again") == contents(tmp_path / "whole")
    assert shard_folder(tmp_path / "again", 2).exists()


def test_conversations_without_a_reply_are_said_or_refused(tmp_path, caplog):
    silent = [
        {"id": "s0", "system": "bot", "turns": []},
        {"id": "s1", "system": "bot", "turns": [{"speaker": "a", "text": "hi"}]},
    ]
    with pytest.raises(DataError, match="holds no reply"):
        read([write(tmp_path / "a.jsonl", silent)], tmp_path / "none")
    found = read([write(tmp_path / "b.jsonl", [*silent, *talks(1)])], tmp_path / "some")
    assert found.n == 3
    assert "2 conversations hold no reply" in caplog.text


@pytest.mark.parametrize("conversation_first", [True, False])
def test_an_item_may_not_take_the_name_of_a_reply(tmp_path, conversation_first):
    items = [talks(1)[0], {"id": "d0#1", "response": "x"}]
    file = write(tmp_path / "a.jsonl", items if conversation_first else items[::-1])
    with pytest.raises(DataError, match=r"same id|is taken"):
        read([file], tmp_path / "r")
