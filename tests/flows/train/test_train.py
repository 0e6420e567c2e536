"""train: text in, a folder out that is a spec; tuning looks only where it may."""

import csv
import json
import shutil
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import pytest

from dialometer.contracts.score import ScoreRequest
from dialometer.contracts.train import TrainRequest
from dialometer.core import registry
from dialometer.core.catalog import CATALOG
from dialometer.core.errors import DataError, NeedsError, SpecError, UnknownName, UsageError
from dialometer.core.recipes import recipe
from dialometer.core.registry import create
from dialometer.flows.score.score import score
from dialometer.flows.train.train import train, trainable
from dialometer.flows.train.training_text import read_talks
from dialometer.flows.tune.grid_search import Grid, Parts, tune
from dialometer.stats.validation.folds import fold_numbers

TALK = """good morning , how are you ?
i am fine , thank you . and you ?
not too bad . would you like some tea ?

the train leaves at nine .
we should go now , or we will be late .
no , we have time for tea .
"""


@pytest.fixture
def lines(tmp_path):
    path = tmp_path / "talk.txt"
    path.write_text(TALK)
    return str(path)


def write(path, rows):
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return str(path)


def test_everything_that_learns_from_text_is_offered():
    assert {
        "amfm": "metric",
        "lsi": "encoder",
        "ngram": "likelihood",
        "skipthought": "encoder",
    }.items() <= trainable().items()
    assert "bleu" not in trainable()


@pytest.mark.parametrize(
    ("spec", "kind"), [("lsi(k=2)", "encoder"), ("ngram(order=3)", "likelihood"), ("amfm(am=lsi(k=2))", "metric")]
)
def test_the_folder_is_a_spec(spec, kind, lines, tmp_path):
    report = train(TrainRequest(spec, (lines,), output=str(tmp_path / "run")))
    assert (report.kind, report.conversations, report.utterances) == (kind, 2, 6)
    thing = create(kind, report.run)
    assert len(thing.seen()) == 6


def test_a_finished_run_is_reprinted(lines, tmp_path):
    request = TrainRequest("lsi(k=2)", (lines,), output=str(tmp_path / "run"))
    first = train(request)
    stamp = (tmp_path / "run" / "model" / "arrays.safetensors").stat().st_mtime_ns
    assert train(request) == first
    assert (tmp_path / "run" / "model" / "arrays.safetensors").stat().st_mtime_ns == stamp


def test_talks_of_conversations_items_and_text(lines, tmp_path):
    dialogues = write(
        tmp_path / "d.jsonl", [{"id": "1", "turns": [{"speaker": "a", "text": "hi"}, {"speaker": "b", "text": "hello"}]}]
    )
    rows = [
        {"id": f"{s}", "system": s, "context": ["hi"], "response": f"bot {s}", "references": ["hello", "hey"]} for s in "AB"
    ]
    items = write(tmp_path / "i.jsonl", rows)
    assert read_talks([dialogues], max_line=1 << 20) == [["hi", "hello"]]
    assert read_talks([items], max_line=1 << 20) == [["hi", "hello"], ["hey"]]
    assert [len(talk) for talk in read_talks([lines], max_line=1 << 20)] == [3, 3]


def test_overlap_with_the_fitted_text_is_told(lines, tmp_path):
    run = train(TrainRequest("amfm(am=lsi(k=2))", (lines,), output=str(tmp_path / "run"))).run
    rows = [
        {
            "id": "1",
            "response": "The train leaves at nine.",
            "references": ["we should go now, or we will be late", "never"],
        },
        {"id": "2", "response": "no", "references": ["yes", "well"]},
    ]
    report = score(ScoreRequest((write(tmp_path / "i.jsonl", rows),), (run,), output=str(tmp_path / "score")))
    assert list(report.overlap.values()) == [{"responses": 0.5, "references": 0.25}]
    assert report.to_json()["overlap"] == report.overlap


def test_two_fitted_metrics_side_by_side(lines, tmp_path):
    runs = [train(TrainRequest(f"amfm(am=lsi(k={k}))", (lines,), output=str(tmp_path / f"k{k}"))).run for k in (1, 2)]
    items = write(tmp_path / "i.jsonl", [{"id": "1", "response": "tea", "references": ["some tea"]}])
    report = score(ScoreRequest((items,), tuple(runs), output=str(tmp_path / "score")))
    assert len(report.recipes) == 8
    assert sum("k1" in column for column in report.recipes) == 4


def invented(units, rng):
    """AM by k and FM by n for a world where k = 20 and n = 2 carry the signal."""
    signal = rng.normal(size=units)
    am = {k: signal + noise * rng.normal(size=units) for k, noise in ((5, 3.0), (20, 0.5), (50, 3.0))}
    fm = {n: signal + noise * rng.normal(size=units) for n, noise in ((1, 5.0), (2, 0.5))}
    return Parts(am, fm, None, {}, "arithmetic"), signal


GRID = Grid((5, 20, 50), (1, 2), (0.0, 0.5, 1.0))


def test_tuning_finds_what_carries_the_signal():
    parts, signal = invented(300, np.random.default_rng(1))
    found = tune(parts, np.arange(300), signal, fold_numbers(list(map(str, range(300))), 5, 0), GRID)
    assert found.chosen == (20, 2, 0.5)
    assert found.folds == ((20, 2, 0.5),) * 5
    assert found.variants == 18
    assert 0.8 < found.held_out <= 1
    assert 0.8 < found.held_out_mean <= 1


def test_held_out_correlation_of_noise_is_not_what_was_chosen():
    """Pure noise, 40 units, 200 worlds: the best of 18 variants correlates, what no choice saw does not.

    Held-out r of noise has mean ≤ 0 (the choice uses the others) and sd ≤ 1/√39 a world, so the mean of 200 stays below
    5 × 0.16/√200 = 0.057 but once in a million.
    """
    inside, outside = [], []
    for seed in range(200):
        rng = np.random.default_rng(seed)
        parts = Parts(
            {k: rng.normal(size=40) for k in GRID.ks}, {n: rng.normal(size=40) for n in GRID.orders}, None, {}, "arithmetic"
        )
        found = tune(parts, np.arange(40), rng.normal(size=40), np.arange(40) % 5, GRID)
        inside.append(found.inside)
        outside.append(found.held_out)
    assert np.mean(inside) > 0.15
    assert np.mean(outside) < 0.057


def test_folds_keep_documents_whole():
    names = [f"d{i % 7}" for i in range(50)]
    folds = fold_numbers(names, 3, 1)
    assert all(len({fold for fold, other in zip(folds, names, strict=True) if other == name}) == 1 for name in names)
    assert set(folds) == {0, 1, 2}


def test_tuned_on_real_ratings(shared_data, tmp_path):
    """Gupta's 100 contexts × 5 systems: curves, variants, cross-plots, and a fitted metric come out."""
    text = str(shared_data("corpora/personachat_dialogrpt_test.jsonl.gz"))
    rated = str(shared_data("turns/gupta_dailydialog_multiref.jsonl.gz"))
    request = TrainRequest(
        "amfm", (text,), tune=(rated,), quality="overall_mean", ks="5,10,20", orders="1,2", output=str(tmp_path / "run")
    )
    found = train(request).tuning
    assert (found.variants, found.n) == (66, 500)
    assert -1 < found.held_out <= found.inside + 0.1
    with (tmp_path / "run" / "variants.csv").open() as file:
        rows = list(csv.DictReader(file))
    best = max(rows, key=lambda row: float(row["pearson"]))
    assert {key: float(best[key]) for key in ("k", "n", "weight")} == {
        key: float(value) for key, value in found.chosen.to_json().items()
    }
    assert float(best["pearson"]) == pytest.approx(found.inside, abs=1e-9)
    for name in ("dimensions.png", "orders.png", "weights.png", "crossplots.png"):
        assert (tmp_path / "run" / name).read_bytes().startswith(b"\x89PNG")
    metric = create("metric", str(tmp_path / "run"))
    assert metric.weight == found.chosen.weight
    assert metric.am == f"lsi(k={found.chosen.k})"


def test_a_kill_while_saving_leaves_no_litter(lines, tmp_path):
    """What write_folder had begun lies in a hidden folder; the next call ends well and takes it away."""
    request = TrainRequest("lsi(k=2)", (lines,), output=str(tmp_path / "whole"))
    train(request)
    (tmp_path / "whole" / ".model.0a1b2c3d").mkdir()
    record = json.loads((tmp_path / "whole" / "run.json").read_text())
    (tmp_path / "whole" / "run.json").write_text(json.dumps(record | {"status": "running"}))
    train(request)
    assert not list((tmp_path / "whole").glob(".model.*"))


def test_folders_whose_names_need_quotes(lines, tmp_path):
    report = train(TrainRequest("lsi(k=2)", (lines,), output=str(tmp_path / "my runs (2)")))
    assert create("encoder", report.run).k == 2
    assert create("encoder", create("metric", f'sentence(encoder="{report.run}")').encoder).k == 2


def test_the_reprinted_run_speaks_of_what_was_typed(lines, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    train(TrainRequest("amfm(am=lsi(k=2))", (lines,), output="runs/a,b"))
    items = write(tmp_path / "i.jsonl", [{"id": "1", "response": "tea", "references": ["the train leaves at nine ."]}])
    for spec in ("runs/a,b", f"{tmp_path}/runs/a,b"):
        assert list(score(ScoreRequest((items,), (spec,))).overlap) == [spec]


def test_files_that_are_no_folders(lines, tmp_path):
    with pytest.raises(SpecError, match=r"is a file.*\n.*glove\(path="):
        create("vector", lines)
    with pytest.raises(SpecError, match=r"is a file.*\n.*ngram\(arpa="):
        create("likelihood", lines)
    (tmp_path / "talk.py").write_text(TALK)
    with pytest.raises(UsageError, match=r"name it \.txt"):
        train(TrainRequest("lsi", (str(tmp_path / "talk.py"),), output=str(tmp_path / "run")))


def test_a_part_that_changed_makes_another_run(lines, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    train(TrainRequest("ngram", (lines,), output="lm"))
    first = train(TrainRequest("amfm(am=lsi(k=2),fm=./lm)", (lines,)))
    train(TrainRequest("ngram(order=3)", (lines,), output="other"))
    (tmp_path / "lm").rename(tmp_path / "old")
    (tmp_path / "other").rename(tmp_path / "lm")
    second = train(TrainRequest("amfm(am=lsi(k=2),fm=./lm)", (lines,)))
    assert first.run != second.run
    assert "ngram-1(order=3)" in second.recipe


def test_a_folder_that_was_trained_anew_is_read_anew(lines, tmp_path):
    folder = tmp_path / "run"
    train(TrainRequest("amfm(am=lsi(k=2))", (lines,), output=str(folder)))
    first = recipe(create("metric", str(folder)))
    shutil.rmtree(folder)
    train(TrainRequest("amfm(am=lsi(k=3))", (lines,), output=str(folder)))
    assert recipe(create("metric", str(folder))) != first


def test_a_folder_beside_us_needs_no_slash(lines, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    train(TrainRequest("lsi(k=2)", (lines,), output="space"))
    assert create("encoder", "space").k == 2
    with pytest.raises(UnknownName):
        create("encoder", "spice")


def test_tuned_on_a_handful(lines, tmp_path):
    """Twelve invented items of two systems: no cross-plots, and the numbers that were chosen are those of the best variant."""
    words = ["tea", "train", "morning", "late", "time", "fine"]
    rows = [
        {
            "id": f"{s}{i}",
            "system": s,
            "context": [f"turn {i}"],
            "response": f"{word} {word if s == 'A' else 'no'}",
            "references": [f"some {word}"],
            "ratings": {"good": [i % 5, 4 if s == "A" else 2]},
        }
        for s in "AB"
        for i, word in enumerate(words)
    ]
    rows.append({"id": "bare", "context": ["turn"], "response": "tea", "references": [], "ratings": {"good": [3]}})
    request = TrainRequest(
        "amfm", (lines,), tune=(write(tmp_path / "r.jsonl", rows),), quality="good", ks="1,2", orders="1,2", folds=3,
        output=str(tmp_path / "run"),
    )  # fmt: skip
    found = train(request).tuning
    assert found.pictures == ["dimensions.png", "orders.png", "weights.png"]
    assert found.left_out == 1
    assert (found.variants, found.n, len(found.folds)) == (44, 12, 3)
    with (tmp_path / "run" / "variants.csv").open() as file:
        best = max(csv.DictReader(file), key=lambda row: float(row["pearson"]))
    assert float(best["pearson"]) == pytest.approx(found.inside)


@dataclass(frozen=True)
class ByContext:
    """A likelihood that says how long the context was."""

    name: ClassVar[str] = "bycontext"
    version: ClassVar[int] = 1
    recipe: ClassVar[str] = "bycontext-1"
    contextual: ClassVar[bool] = True

    def logprob(self, contexts, responses):
        return -np.array([float(sum(map(len, context))) for context in contexts]), np.ones(len(responses))


def test_a_likelihood_that_reads_the_context_gets_it_from_score(lines, tmp_path, monkeypatch):
    monkeypatch.setitem(CATALOG["likelihood"], "bycontext", f"{__name__}:ByContext")
    registry._menu.cache_clear()
    rows = [{"id": "1", "context": ["ab", "c"], "response": "tea", "references": ["tea"]}]
    spec = f"amfm(am=lsi(k=1,text={lines}),fm=bycontext,fluency=absolute)"
    report = score(ScoreRequest((write(tmp_path / "i.jsonl", rows),), (spec,), output=str(tmp_path / "score")))
    monkeypatch.undo()
    registry._menu.cache_clear()
    assert report.cells[""]["fm"].mean == pytest.approx(np.exp(-3))


@pytest.mark.parametrize(
    ("changes", "error", "says"),
    [
        ({"spec": "bleu"}, UnknownName, "trainable thing"),
        ({"spec": "lsi(k=0)"}, UsageError, "k=…"),
        ({"inputs": ()}, UsageError, "no file"),
        ({"inputs": ("none.txt",)}, DataError, "none.txt"),
        ({"level": "word"}, UsageError, "item or system"),
        ({"folds": 1}, UsageError, "--folds"),
        ({"ks": "5"}, UsageError, "while tuning"),
        ({"quality": "overall"}, UsageError, "rated items"),
        ({"spec": "lsi(k=50)"}, NeedsError, "rank"),
    ],
)
def test_refusals(changes, error, says, lines, tmp_path):
    request = {"spec": "lsi(k=2)", "inputs": (lines,), "output": str(tmp_path / "run")} | changes
    with pytest.raises(error, match=says):
        train(TrainRequest(**request))
    assert not (tmp_path / "run").exists()


def test_tuning_refusals(lines, tmp_path):
    rated = write(
        tmp_path / "r.jsonl", [{"id": "1", "response": "tea", "references": ["tea"], "ratings": {"overall": [3]}}]
    )
    base = {"inputs": (lines,), "tune": (rated,), "output": str(tmp_path / "run"), "ks": "1,2", "orders": "1"}
    for changes, error, says in (
        ({"spec": "lsi(k=2)", "quality": "overall"}, UsageError, "nothing to tune"),
        ({"spec": "amfm", "quality": "fluency"}, UnknownName, "quality"),
        ({"spec": "amfm", "quality": "overall"}, NeedsError, "4 rated units"),
        ({"spec": "amfm(am=minilm)", "quality": "overall"}, UsageError, "k of lsi"),
        ({"spec": "amfm", "quality": "overall", "ks": "a"}, UsageError, "--ks"),
        ({"spec": "amfm(pm=0.5)", "quality": "overall"}, UsageError, "leave out pm"),
        ({"spec": f"amfm(am=lsi(k=2,text={lines}))", "quality": "overall"}, UsageError, "both fitted on FILE"),
    ):
        with pytest.raises(error, match=says):
            train(TrainRequest(**(base | changes)))
        assert not (tmp_path / "run").exists()


def test_one_context_cannot_be_cut_into_folds(lines, tmp_path):
    rows = [
        {"id": str(i), "context": ["the same"], "response": word, "references": ["tea"], "ratings": {"good": [i]}}
        for i, word in enumerate(("tea", "late", "time", "fine", "train"))
    ]
    request = TrainRequest("amfm", (lines,), tune=(write(tmp_path / "r.jsonl", rows),), quality="good", ks="2", orders="1")
    with pytest.raises(NeedsError, match="one fold holds 5 of 5"):
        train(request)


def test_dimensions_that_the_text_lacks_are_left_out(lines, tmp_path, caplog):
    rows = [
        {"id": str(i), "context": [f"turn {i}"], "response": word, "references": ["some tea"], "ratings": {"good": [i]}}
        for i, word in enumerate(("tea", "late", "time", "fine", "train", "some tea", "no"))
    ]
    base = {"tune": (write(tmp_path / "r.jsonl", rows),), "quality": "good", "orders": "1", "output": str(tmp_path / "run")}
    assert train(TrainRequest("amfm", (lines,), ks="2,500", **base)).tuning.variants == 11
    assert "k = 500 is left out" in caplog.text
    with pytest.raises(NeedsError, match=r"--ks with smaller numbers"):
        train(TrainRequest("amfm", (lines,), ks="500", **(base | {"output": str(tmp_path / "other")})))


def test_an_empty_text_is_refused(tmp_path):
    path = tmp_path / "empty.txt"
    path.write_text("\n\n")
    with pytest.raises(DataError, match="holds no text to learn from"):
        train(TrainRequest("lsi", (str(path),), output=str(tmp_path / "run")))
