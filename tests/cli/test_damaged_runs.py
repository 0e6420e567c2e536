"""Run folders whose files were changed, cut off or removed: the same command makes the run anew, or refuses in a sentence."""

import json
import shutil
from pathlib import Path

import orjson
import pytest

from tests.cli.conftest import write

TALK = [line for line in (Path(__file__).parents[1] / "exam" / "talk.txt").read_text().splitlines() if line.strip()]
COSTLY = ("train", "judge", "play")


def rated(n=24):
    """Rated replies of two systems, by two raters."""
    return [
        {"id": f"i{i}", "system": "ab"[i % 2], "context": [TALK[i % 20]], "response": TALK[(i + 1) % 20],
         "references": [TALK[(i + 2) % 20]], "ratings": {"quality": [1 + i % 5, 1 + (i * 3) % 5]}}
        for i in range(n)
    ]  # fmt: skip


COMMANDS = {
    "score": ["score", "items.jsonl", "-m", "length", "--resamples", "10", "-o", "run"],
    "agree": ["agree", "items.jsonl", "-o", "run"],
    "meta": ["meta", "items.jsonl", "-m", "length", "-q", "quality", "--resamples", "10", "-o", "run"],
    "stress": ["stress", "items.jsonl", "-m", "length", "-o", "run"],
    "power": ["power", "items.jsonl", "-q", "quality", "--effect", "0.5", "--simulations", "100", "-o", "run"],
    "train": ["train", "lsi(k=2)", "talk.txt", "-o", "run"],
    "judge": ["train", "stack(features=length)", "items.jsonl", "-q", "quality", "--quick", "--folds", "2", "-o", "run"],
    "play": ["play", "--a", "eliza", "-n", "2", "--turns", "2", "-o", "run"],
    "compare": ["compare", "items.jsonl", "-m", "length", "--resamples", "10", "-o", "run"],
}


@pytest.fixture(scope="module", params=list(COMMANDS))
def verb(request):
    return request.param


@pytest.fixture(scope="module")
def first():
    """Finished runs by verb: the folder of one, kept for all tests of its verb."""
    return {}


@pytest.fixture
def ready(cli, caplog, verb, first, tmp_path, tmp_path_factory):
    """A callable that runs the command of the verb again, in a folder with a finished run of it."""
    write(tmp_path / "items.jsonl", rated())
    (tmp_path / "talk.txt").write_text("\n".join(TALK), encoding="utf-8")
    if verb not in first:
        done = cli(*COMMANDS[verb])
        assert done.code == 0, done
        kept = tmp_path_factory.mktemp(verb) / "run"
        shutil.copytree(tmp_path / "run", kept)
        first[verb] = kept, cli(*COMMANDS[verb]).out
    shutil.rmtree(tmp_path / "run", ignore_errors=True)
    shutil.copytree(first[verb][0], tmp_path / "run")

    def again():
        caplog.clear()
        done = cli(*COMMANDS[verb])
        done.warnings = [record.getMessage() for record in caplog.records if record.levelname == "WARNING"]
        return done

    return again, first[verb][1], tmp_path / "run"


def results(folder):
    return sorted(path for path in folder.rglob("*") if path.is_file() and not path.name.startswith("."))


def spoil(path, how):
    data = path.read_bytes()
    if how == "removed":
        path.unlink()
    elif how == "folder":
        path.unlink()
        path.mkdir()
    elif how == "loop":
        path.unlink()
        path.symlink_to(path.name)
    else:
        path.write_bytes({"cut": data[: len(data) // 2], "empty": b"", "other": b'{"a": [1, null]}'}[how])


def same_or_refused(done, printed, verb, name):
    """It printed what it had printed before, with one warning; or it refused by a sentence."""
    assert "Traceback" not in done.err
    if verb in COSTLY or name == "run.json":
        assert "damaged" in done.refused() or "cannot be read" in done.refused(), done
    else:
        assert done.code == 0, done
        assert len([words for words in done.warnings if "is damaged" in words and "made anew" in words]) == 1
        assert done.out == printed


def test_a_result_file_of_every_ending(ready, verb, first):
    again, printed, folder = ready
    some = {path.suffix if path.suffix != ".json" else path.name: path.relative_to(folder) for path in results(folder)}
    for number, name in enumerate(some.values()):
        spoil(folder / name, ("other", "cut", "removed")[number % 3 if name.name != "run.json" else 1])
        same_or_refused(again(), printed, verb, name.name)
        shutil.rmtree(folder)
        shutil.copytree(first[verb][0], folder)


@pytest.mark.parametrize("how", ["folder", "loop", "empty"])
def test_odd_result_files(ready, verb, how):
    again, printed, folder = ready
    path = next(path for path in results(folder) if path.suffix == ".json" and path.name != "run.json")
    spoil(path, how)
    same_or_refused(again(), printed, verb, path.name)


def test_a_run_without_digests_is_read(ready, verb):
    again, printed, folder = ready
    record = json.loads((folder / "run.json").read_text())
    assert record.pop("files")
    (folder / "run.json").write_text(json.dumps(record))
    done = again()
    assert (done.code, done.out) == (0, printed)


def test_fields_of_a_run_without_digests(ready, verb):
    """As runs were written before: no field of their results ends in a traceback."""
    again, _, folder = ready
    record = json.loads((folder / "run.json").read_text())
    del record["files"]
    (folder / "run.json").write_text(json.dumps(record))
    for path in (path for path in folder.glob("*.json") if path.name != "run.json"):
        whole = orjson.loads(path.read_bytes())
        for key in whole:
            for value in (None, "zzz", [[]]):
                path.write_bytes(orjson.dumps(whole | {key: value}))
                done = again()
                assert "Traceback" not in done.err, (path, key, value)
                assert done.code in (0, 2), (path, key, value, done)
        path.write_bytes(orjson.dumps(whole))


def test_fields_of_the_record(ready, verb, first):
    if verb not in ("score", "train"):
        pytest.skip("records are the same for all")
    again, _, folder = ready
    whole = orjson.loads((folder / "run.json").read_bytes())
    for key in ("id", "status", "identity", "files"):
        for value in (None, 3, "zzz", [[]], {"a": 1}):
            (folder / "run.json").write_bytes(orjson.dumps(whole | {key: value}))
            done = again()
            assert done.code in (0, 2), (key, value, done)
            assert "Traceback" not in done.err
            shutil.rmtree(folder)
            shutil.copytree(first[verb][0], folder)


@pytest.fixture
def interrupted(tmp_path, monkeypatch):
    """A scoring that was stopped once everything was measured, and the numbers that it should end with."""
    from dialometer.flows.score import score as flow

    monkeypatch.chdir(tmp_path)
    write(tmp_path / "items.jsonl", rated())
    request = flow.ScoreRequest(("items.jsonl",), ("length", "cider"), shard=10, resamples=10, output="run")
    wanted = flow.score(request).to_json()
    shutil.rmtree(tmp_path / "run")

    def stop(*arguments, **options):
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(flow, "summarise", stop)
        with pytest.raises(KeyboardInterrupt):
            flow.score(request)
    return lambda: orjson.dumps(flow.score(request).to_json()), orjson.dumps(wanted), tmp_path / "run" / "work"


@pytest.mark.parametrize("how", ["removed", "cut", "other", "loop"])
def test_parts_of_an_interrupted_run_are_made_again(interrupted, how, tmp_path):
    again, wanted, work = interrupted
    shutil.copytree(work, tmp_path / "kept")
    some = {(path.parent.name[:7], path.name): path.relative_to(work) for path in results(work)}
    assert len(some) > 15
    spoil(work / "shards.json", how)
    for name in list(some.values())[::3]:
        if name.name != "shards.json":
            spoil(work / name, how)
    assert again() == wanted


def test_a_run_whose_files_are_removed_while_it_runs_says_so(tmp_path, monkeypatch):
    from dialometer.core.errors import RunError
    from dialometer.flows.score import score as flow

    monkeypatch.chdir(tmp_path)
    write(tmp_path / "items.jsonl", rated())
    find = flow.find_clusters

    def removed(shards):
        shutil.rmtree(tmp_path / "run" / "work" / "shard-00000")
        return find(shards)

    monkeypatch.setattr(flow, "find_clusters", removed)
    request = flow.ScoreRequest(("items.jsonl",), ("length",), resamples=10, output="run")
    with pytest.raises(RunError, match="was removed or damaged while the run was going on"):
        flow.score(request)
    monkeypatch.undo()
    monkeypatch.chdir(tmp_path)
    assert flow.score(request).n == 24


LOOPED = {
    "input": ["score", "loop", "-m", "length"],
    "input under a loop": ["score", "loop/items.jsonl", "-m", "length"],
    "output": ["score", "items.jsonl", "-m", "length", "-o", "loop"],
    "output under a loop": ["score", "items.jsonl", "-m", "length", "-o", "loop/run"],
    "metric": ["score", "items.jsonl", "-m", "./loop"],
    "metric inside": ["score", "items.jsonl", "-m", "sentence(encoder=./loop)"],
    "text": ["score", "items.jsonl", "-m", "amfm(am=lsi(k=2),fm=ngram(order=2),text=loop)"],
    "agree": ["agree", "loop"],
    "meta": ["meta", "items.jsonl", "-q", "quality", "--scores", "loop"],
    "stress": ["stress", "loop", "-m", "length"],
    "power": ["power", "loop", "-q", "quality", "--effect", "0.5"],
    "train": ["train", "lsi", "loop"],
    "train again": ["train", "./loop", "items.jsonl", "-q", "quality"],
    "play": ["play", "--a", "./loop"],
    "openers": ["play", "--a", "eliza", "--openers", "loop"],
    "compare": ["compare", "loop", "items.jsonl"],
    "compare runs": ["compare", "./loop/run", "./loop"],
    "chat": ["chat", "./loop"],
    "convert": ["convert", "loop", "other.jsonl"],
    "config": ["score", "items.jsonl", "--config", "loop"],
    "demo": ["demo", "-o", "loop"],
}


@pytest.mark.parametrize("arguments", LOOPED.values(), ids=LOOPED)
def test_a_path_that_is_a_loop_of_links(cli, tmp_path, arguments):
    write(tmp_path / "items.jsonl", rated())
    (tmp_path / "loop").symlink_to("pool")
    (tmp_path / "pool").symlink_to("loop")
    done = cli(*arguments)
    assert done.code == 2, done
    assert done.err.startswith(("error: ", "Error: "))
    assert "Traceback" not in done.err
