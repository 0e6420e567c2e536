"""stress as a function: known reactions on real data, resumption, the promised numbers."""

import contextlib
import csv
import gzip
import json
import math
import os
import signal
import subprocess
import sys
import time
from itertools import islice

import numpy as np
import pytest

from dialometer.contracts.score import ScoreRequest
from dialometer.contracts.stress import StressRequest
from dialometer.core.errors import DataError, NeedsError, UnknownName, UsageError
from dialometer.core.types import Example
from dialometer.flows.score.score import score
from dialometer.flows.stress.perturb import sample, spoil
from dialometer.flows.stress.picture import robustness_page
from dialometer.flows.stress.reactions import _interval
from dialometer.flows.stress.stress import StressReport, stress
from dialometer.flows.stress.verdict import verdict
from dialometer.report.blocks import Dots, HeatMap, Table
from dialometer.text.perturb import PERTURBATIONS

RESULTS = ("stress.json", "stress.csv", "report.html", "perturbed.jsonl", "scores.parquet")
ROWS = [
    {"id": "a", "context": ["tea ?"], "response": "yes , i like tea .", "references": ["i like green tea ."], "group": "1"},
    {"id": "b", "context": ["rain ?"], "response": "no , i love rain .", "references": ["rain is fine ."], "group": "2"},
    {"id": "c", "context": [], "response": "It is 3 o'clock", "references": ["It is 4 o'clock"], "group": "3"},
    {"id": "d", "context": ["hi"], "response": "", "references": ["hello ."], "group": "4"},
]


def write(path, rows):
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return str(path)


@pytest.fixture
def items(tmp_path):
    return write(tmp_path / "items.jsonl", ROWS)


def run(tmp_path, inputs, *metrics, name="r", **options):
    return stress(StressRequest((str(inputs),), metrics, output=str(tmp_path / name), **options))


def cells(report: StressReport):
    return {(row.metric, row.perturbation): row for row in report.rows}


@pytest.fixture(scope="module")
def real_report(shared_data, tmp_path_factory):
    folder = tmp_path_factory.mktemp("real")
    metrics = ("bleu", "rouge", "length", "embedding")
    return run(folder, shared_data("turns/zhao_dailydialog.jsonl.gz"), *metrics, limit=150, resamples=200)


def test_order_moves_no_count_of_single_words(real_report):
    cell = cells(real_report)
    for column in ("bleu-1", "rouge-1", "words", "chars"):
        for name in ("reversed-words", "shuffled-words"):
            assert cell[column, name].delta == pytest.approx(0, abs=1e-12)
    for name in ("reversed-words", "shuffled-words"):
        row = cell["embedding-average", name]
        assert row.delta == pytest.approx(0, abs=1e-6)
        assert row.verdict == "blind", "noise of floats is no reaction"
        assert cell["bleu-2", name].verdict == cell["rouge-l", name].verdict == "as a human"


def test_nothing_beats_the_reference_and_nothing_is_zero(real_report):
    cell = cells(real_report)
    for column in ("bleu-1", "bleu-4", "rouge-l"):
        top = cell[column, "copy-reference"]
        assert top.perturbed == pytest.approx(1)
        assert top.verdict == "as a human"
        assert all(
            cell[column, name].perturbed < 1
            for name in PERTURBATIONS
            if name != "copy-reference" and cell[column, name].scored
        )
        empty = cell[column, "empty"]
        assert empty.perturbed == 0
        assert empty.delta == -empty.original < 0
    assert cell["words", "said-twice"].perturbed == 2 * cell["words", "said-twice"].original


def test_only_what_judges_is_judged(real_report):
    said = {row.metric: {r.verdict for r in real_report.rows if r.metric == row.metric} for row in real_report.rows}
    assert said["words"] == said["coverage"] == {""}
    assert "" not in said["bleu-2"] - {""}
    for row in real_report.rows:
        assert row.n == real_report.n == 150
        assert real_report.total == 900
        assert 0 <= row.scored <= row.changed <= row.n
        if row.scored:
            assert row.low <= row.delta <= row.high
            assert row.delta == pytest.approx(row.perturbed - row.original, abs=1e-9)


def test_effects_are_in_spreads_of_the_scores_before(real_report):
    before = score_of(real_report, "original")["rouge-l"]
    row = cells(real_report)["rouge-l", "generic"]
    assert row.effect == pytest.approx(row.delta / np.std(before, ddof=1), abs=1e-9)


def score_of(report, system):
    import pyarrow.parquet as pq

    table = pq.read_table(f"{report.run}/scores.parquet").to_pylist()
    return {key: [row[key] for row in table if row["system"] == system] for key in table[0]}


def test_the_numbers_are_those_of_score(tmp_path, items):
    """Originals score as they do by themselves, document frequencies of CIDEr included, and so does a perturbed system."""
    report = run(tmp_path, items, "bleu", "cider")
    alone = score(ScoreRequest((items,), ("bleu", "cider"), output=str(tmp_path / "s"))).scores()
    for column in ("bleu-2", "cider"):
        assert score_of(report, "original")[column] == pytest.approx(alone.columns[column], abs=1e-12)
    twice = [row | {"response": f"{row['response']} {row['response']}".strip()} for row in ROWS]
    by_hand = score(ScoreRequest((write(tmp_path / "t.jsonl", twice),), ("cider",), output=str(tmp_path / "t"))).scores()
    assert score_of(report, "said-twice")["cider"] == pytest.approx(by_hand.columns["cider"], abs=1e-12)
    delta = (by_hand.columns["cider"] - alone.columns["cider"])[:3].mean()
    assert cells(report)["cider", "said-twice"].delta == pytest.approx(delta, abs=1e-12)


def test_what_cannot_be_changed_is_counted(tmp_path, items):
    cell = cells(run(tmp_path, items, "length"))
    changed = {name: cell["words", name].changed for name in PERTURBATIONS}
    assert changed["generic"] == changed["copy-reference"] == 4
    assert changed["copy-context"] == 3
    assert changed["empty"] == changed["reversed-words"] == changed["negated"] == 3
    assert changed["lower-case"] == 1
    assert changed["entity-swapped"] == 0
    nothing = cell["words", "entity-swapped"]
    assert math.isnan(nothing.delta)
    assert nothing.scored == 0
    assert nothing.verdict == ""


def test_items_without_what_a_metric_needs_are_counted_too(tmp_path):
    rows = [*ROWS, {"id": "e", "response": "no reference at all", "references": []}]
    row = cells(run(tmp_path, write(tmp_path / "i.jsonl", rows), "bleu"))["bleu-1", "reversed-words"]
    assert (row.n, row.changed, row.scored) == (5, 4, 3)


def test_a_set_metric_is_compared_over_the_changed_items(tmp_path, items):
    report = run(tmp_path, items, "distinct")
    row = cells(report)["distinct-1", "said-twice"]
    words = "yes , i like tea . no , i love rain . it is 3 o'clock".split()
    assert row.original == pytest.approx(len(set(words)) / len(words))
    assert row.perturbed == pytest.approx(len(set(words)) / (2 * len(words)))
    assert row.low <= row.delta <= row.high
    assert (row.verdict, row.changed) == ("", 3)
    assert math.isnan(row.effect)


def test_choosing_perturbations_and_limits(tmp_path, items):
    report = run(tmp_path, items, "length", perturb=("empty", "generic"), limit=2)
    assert list(dict.fromkeys(row.perturbation for row in report.rows)) == ["generic", "empty"]
    assert (report.n, report.total) == (2, 4)
    every = run(tmp_path, items, "length", limit=0, name="all")
    assert every.n == 4


def test_the_draw_depends_on_ids_alone():
    items = [Example(f"i{n}", (), f"word {n}") for n in range(50)]
    drawn, total = sample(items, 10, 7)
    assert sample(items[::-1], 10, 7) == (drawn, total)
    assert (len(drawn), total) == (10, 50)
    assert sample(items, 10, 8)[0] != drawn
    assert sample(items[:5], 10, 7) == (items[:5], 5)


def test_the_order_of_the_file_changes_no_row(tmp_path, items):
    mixed = write(tmp_path / "mixed.jsonl", ROWS[::-1])
    first, second = run(tmp_path, items, "rouge"), run(tmp_path, mixed, "rouge", name="m")
    assert json.dumps(first.to_json()["rows"]) == json.dumps(second.to_json()["rows"])


@pytest.mark.parametrize(
    ("expected", "low", "high", "effect", "word"),
    [
        ("drop", -0.3, -0.1, -0.5, "as a human"),
        ("drop", -0.3, -0.1, -0.1, "faint"),
        ("drop", -0.3, 0.1, -0.5, "blind"),
        ("drop", -1e-18, -1e-19, -1e-18, "blind"),
        ("drop", 0.1, 0.3, 0.1, "fooled"),
        ("drop", -0.3, -0.1, math.nan, "as a human"),
        ("rise", 0.1, 0.3, 0.5, "as a human"),
        ("rise", -0.3, -0.1, -0.5, "fooled"),
        ("rise", 0.0, 0.0, 0.0, "blind"),
        ("same", -0.3, -0.1, -0.1, "as a human"),
        ("same", -0.3, -0.1, -0.5, "touchy"),
        ("same", -0.3, 0.1, -0.5, "as a human"),
        ("no better", -0.3, -0.1, -0.5, "as a human"),
        ("no better", -0.3, 0.1, 0.0, "as a human"),
        ("no better", 0.1, 0.3, 0.1, "fooled"),
        ("drop", math.nan, math.nan, -0.5, ""),
    ],
)
def test_verdicts(expected, low, high, effect, word):
    assert verdict(expected, low, high, effect, 1e-9) == word


def test_intervals_resample_whole_documents():
    """Two documents of ten equal items each: the mean of the draw is that of 0, 1 or 2 of the second, whatever the items."""
    delta = np.repeat([[0.0], [1.0]], 10, axis=0)
    low, high = _interval(delta, np.repeat([5, 9], 10), 2000, 3)
    assert (low[0], high[0]) == (0, 1)  # each end has a quarter of the draws: items alone would give about 0.3 to 0.7
    alone = _interval(delta, np.full(20, 4), 2000, 3)
    assert np.isnan(alone).all()


def test_the_page_holds_every_number_and_an_example(tmp_path, items):
    report = run(tmp_path, items, "bleu", "distinct")
    spoilt = spoil(
        [Example(r["id"], (), r["response"], tuple(r["references"])) for r in ROWS], 4, PERTURBATIONS.values(), 0
    )
    page = robustness_page(report.rows, spoilt, report.recipes)
    blocks = [block for section in page.sections for block in section.blocks]
    heat = next(block for block in blocks if isinstance(block, HeatMap))
    assert heat.values.shape == (4, len(PERTURBATIONS)) == (len(heat.marks), len(heat.marks[0]))
    assert heat.rows[:2] == ["bleu-1", "bleu-2"]
    assert sum(isinstance(block, Dots) for block in blocks) == 8
    tables = {block.name: block for block in blocks if isinstance(block, Table)}
    assert len(tables["reactions"].rows) == len(report.rows)
    assert len(tables["perturbations"].rows) == len(PERTURBATIONS)
    assert ["reversed-words", ". tea like i , yes"] in [list(row) for row in tables["example"].rows]
    assert page.summary[0].startswith("bleu-1: as a human in ")


def test_files_agree_and_a_finished_run_is_read(tmp_path, items):
    report = run(tmp_path, items, "bleu")
    folder = tmp_path / "r"
    assert {path.name for path in folder.iterdir()} >= set(RESULTS)
    assert not (folder / "work").exists()
    shown = report.to_json()
    kept = json.loads((folder / "stress.json").read_text())
    assert len(kept["rows"]) == len(shown["rows"]) == 4 * len(PERTURBATIONS)
    with (folder / "stress.csv").open(encoding="utf-8") as file:
        table = list(csv.DictReader(file))
    assert [row["perturbation"] for row in table] == [row["perturbation"] for row in kept["rows"]]
    assert float(table[0]["delta"]) == kept["rows"][0]["delta"]
    stamps = {name: (folder / name).stat().st_mtime_ns for name in RESULTS}
    assert json.dumps(run(tmp_path, items, "bleu").to_json()) == json.dumps(shown)
    assert stamps == {name: (folder / name).stat().st_mtime_ns for name in RESULTS}
    (folder / "stress.json").write_text("{}")
    assert run(tmp_path, items, "bleu").to_json() == shown, "a damaged result is computed again"
    assert json.loads((folder / "stress.json").read_text()) == kept


def test_engines_write_the_same_bytes(tmp_path, items):
    for engine in ("serial", "processes:2"):
        run(tmp_path, items, "bleu", engine=engine, name=engine)
    for name in RESULTS:
        first, second = ((tmp_path / engine / name).read_bytes() for engine in ("serial", "processes:2"))
        assert first == second, name


def test_what_cannot_be_done_is_refused_and_leaves_no_run(tmp_path, items):
    bare = write(tmp_path / "bare.jsonl", [{"id": "a", "response": "tea"}, {"id": "b", "response": "tea"}])
    silent = write(tmp_path / "silent.jsonl", [{"id": "d", "turns": [{"speaker": "a", "text": "hello ?"}]}])
    cases = [
        (DataError, "holds no reply to stress", silent, ("length",), {}),
        (UnknownName, "did you mean reversed-words", items, ("bleu",), {"perturb": ("reverse-words",)}),
        (UnknownName, "did you mean bleu", items, ("blue",), {}),
        (UsageError, "no metric was named", items, (), {}),
        (UsageError, "--limit is 0", items, ("bleu",), {"limit": -1}),
        (DataError, "no such file", tmp_path / "gone.jsonl", ("bleu",), {}),
        (NeedsError, "none of 2 items can be changed by lower-case", bare, ("length",), {"perturb": ("lower-case",)}),
        (NeedsError, "bleu needs a reference, and none of 2 items has one", bare, ("bleu",), {}),
    ]
    for error, said, inputs, metrics, options in cases:
        with pytest.raises(error, match=said) as raised:
            run(tmp_path, inputs, *metrics, **options)
        assert raised.value.hint
        assert not (tmp_path / "r").exists()
    with pytest.raises(UsageError, match="no file"):
        stress(StressRequest((), ("bleu",)))


def test_killed_runs_end_with_the_same_bytes(shared_data, tmp_path):
    """kill -9 while it scores and again later, then the same command: what an undisturbed run writes."""
    source = tmp_path / "items.jsonl"
    with gzip.open(shared_data("turns/dstc6_t2.jsonl.gz"), "rb") as rows, source.open("wb") as file:
        file.writelines(islice(rows, 400))
    script = (
        "import sys; from dialometer.flows.stress.stress import *; items, folder = sys.argv[1:];"
        "stress(StressRequest((items,), ('bleu', 'rouge'), limit=0, output=folder, cache=False))"
    )

    def start(folder):
        return subprocess.Popen([sys.executable, "-c", script, str(source), str(tmp_path / folder)])

    assert start("whole").wait(120) == 0
    kills = 0
    for mark in ("perturbed.jsonl", "score/work/measure-000/00000.npy"):
        process = start("killed")
        with contextlib.suppress(ProcessLookupError):
            while process.poll() is None and not (tmp_path / "killed" / "work" / mark).exists():
                time.sleep(0.002)
            os.kill(process.pid, signal.SIGKILL)
        kills += process.wait(30) == -signal.SIGKILL
    assert kills == 2
    assert start("killed").wait(120) == 0
    for name in RESULTS:
        assert (tmp_path / "whole" / name).read_bytes() == (tmp_path / "killed" / name).read_bytes(), name
    assert not (tmp_path / "killed" / "work").exists()
