"""score as a function: the promised numbers, resumption, engines, documents across shards."""

import gzip
import json

import numpy as np
import pyarrow.parquet as pq
import pytest

from dialometer.contracts.score import ScoreRequest
from dialometer.core.errors import NeedsError, RunError, UnknownName, UsageError
from dialometer.flows.score.score import score

RESULTS = ("scores.parquet", "summary.json", "recipes.json")


def write_items(path, rows):
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return str(path)


def sample(n=40):
    words = "tea milk rain film song cat soup work trip sea".split()
    rng = np.random.default_rng(3)
    return [
        {
            "id": f"i{k}",
            "response": " ".join(rng.choice(words, 5)),
            "references": [" ".join(rng.choice(words, 6)) for _ in range(2)],
            "system": f"s{k % 2}",
            "group": f"g{k // 4}",
        }
        for k in range(n)
    ]


@pytest.fixture
def items(tmp_path):
    return write_items(tmp_path / "items.jsonl", sample())


def run(tmp_path, name, inputs, *metrics, **options):
    return score(ScoreRequest((inputs,), metrics, output=str(tmp_path / name), **options))


def test_the_report_agrees_with_the_item_file(items, tmp_path):
    report = run(tmp_path, "r", items, "bleu", "length")
    table = pq.read_table(tmp_path / "r" / "scores.parquet").to_pydict()
    assert table["id"] == [row["id"] for row in sample()]
    for system in ("s0", "s1"):
        values = [v for v, s in zip(table["bleu-2"], table["system"], strict=True) if s == system]
        cell = report.cells[system]["bleu-2"]
        assert cell.mean == pytest.approx(np.mean(values), abs=1e-12)
        assert cell.n == 20
        assert cell.low <= cell.mean <= cell.high
        assert cell.corpus_low <= cell.corpus <= cell.corpus_high
        assert cell.floor == np.mean(np.array(values) <= 1e-9)


def test_json_is_the_promised_form(items, tmp_path):
    shown = run(tmp_path, "r", items, "bleu", "distinct").to_json()
    assert set(shown) >= {"run", "n", "systems", "corpus", "recipes"}
    assert set(shown["systems"]["s0"]["bleu-1"]) >= {"mean", "low", "high", "n"}
    assert shown["n"] == 40
    assert isinstance(shown["corpus"]["s1"]["distinct-1"], float)
    assert shown["recipes"]["bleu-1"].startswith("bleu|variant:sacrebleu|order:4")


def test_responses_without_a_system_count_as_the_empty_name(tmp_path):
    path = write_items(tmp_path / "x.jsonl", [{"id": "a", "response": "hi", "references": ["hi"]}])
    report = run(tmp_path, "r", path, "bleu")
    assert report.cells[""]["bleu-1"].mean == 1.0
    assert np.isnan(report.cells[""]["bleu-1"].low)


@pytest.mark.parametrize("metrics", [("bleu", "rouge", "length"), ("cider", "distinct"), ("meteor(variant=nltk)",)])
def test_engines_and_caches_give_the_same_bytes(items, tmp_path, metrics):
    for name, options in {
        "serial": {},
        "two": {"engine": "processes:2"},
        "three": {"engine": "processes:3"},
        "uncached": {"cache": False},
    }.items():
        run(tmp_path, name, items, *metrics, shard=7, **options)
    for file in RESULTS:
        whole = (tmp_path / "serial" / file).read_bytes()
        assert all((tmp_path / other / file).read_bytes() == whole for other in ("two", "three", "uncached"))


def test_shards_do_not_change_numbers(items, tmp_path):
    metrics = ("bleu", "rouge", "cider", "cider(variant=plain)", "distinct(sample=20)", "length")
    one = run(tmp_path, "one", items, *metrics)
    many = run(tmp_path, "many", items, *metrics, shard=3)
    for system, row in one.cells.items():
        for column, cell in row.items():
            other = many.cells[system][column]
            assert other.mean == pytest.approx(cell.mean, abs=1e-12, nan_ok=True)
            assert other.corpus == pytest.approx(cell.corpus, abs=1e-12, nan_ok=True)
            assert other.n == cell.n


def test_documents_scattered_over_shards_are_counted_once(tmp_path):
    """The same rows sorted by group and shuffled give the same CIDEr, however the shards fall."""
    rows = sample(60)
    shuffled = [rows[i] for i in np.random.default_rng(1).permutation(60)]
    a = run(tmp_path, "a", write_items(tmp_path / "a.jsonl", rows), "cider")
    b = run(tmp_path, "b", write_items(tmp_path / "b.jsonl", shuffled), "cider", shard=4)
    for system in a.cells:
        assert a.cells[system]["cider"].mean == pytest.approx(b.cells[system]["cider"].mean, abs=1e-12)


def test_another_systems_rows_change_nothing(tmp_path):
    rows = sample(60)
    both = run(tmp_path, "both", write_items(tmp_path / "both.jsonl", rows), "cider", "bleu", "distinct(sample=20)")
    alone = [row for row in rows if row["system"] == "s0"]
    only = run(tmp_path, "only", write_items(tmp_path / "only.jsonl", alone), "cider", "bleu", "distinct(sample=20)")
    assert both.cells["s0"] == only.cells["s0"]


def test_a_finished_run_is_read_not_made_again(items, tmp_path):
    first = run(tmp_path, "r", items, "bleu")
    stamps = {path.name: path.stat().st_mtime_ns for path in (tmp_path / "r").iterdir()}
    again = run(tmp_path, "r", items, "bleu")
    assert again == first
    assert {path.name: path.stat().st_mtime_ns for path in (tmp_path / "r").iterdir()} == stamps | {
        ".lock": (tmp_path / "r" / ".lock").stat().st_mtime_ns
    }
    assert not (tmp_path / "r" / "work").exists()


def test_other_options_do_not_fit_a_finished_run(items, tmp_path):
    run(tmp_path, "r", items, "bleu")
    with pytest.raises(RunError, match="holds another run"):
        run(tmp_path, "r", items, "bleu(order=2)")
    with pytest.raises(RunError, match="holds another run"):
        run(tmp_path, "r", items, "bleu", seed=1)


def test_engine_and_output_do_not_name_the_run(items, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    first = score(ScoreRequest((items,), ("bleu",)))
    second = score(ScoreRequest((items,), ("bleu",), engine="processes:2"))
    assert first.run == second.run
    assert score(ScoreRequest((items,), ("bleu",), seed=1)).run != first.run


def test_an_input_that_changes_under_a_run_fails_it(items, tmp_path, monkeypatch):
    import dialometer.flows.score.score as flow

    real = flow.spool

    def spool(*arguments, **options):
        found = real(*arguments, **options)
        with open(items, "a") as file:
            file.write(json.dumps({"id": "late", "response": "x", "references": ["y"]}) + "\n")
        return found

    monkeypatch.setattr(flow, "spool", spool)
    with pytest.raises(RunError, match="changed while it was read"):
        run(tmp_path, "r", items, "bleu")


def test_items_without_a_reference_are_refused_or_left_unscored(tmp_path):
    rows = sample(10)
    rows[3]["references"] = []
    rows[7]["references"] = []
    path = write_items(tmp_path / "x.jsonl", rows)
    with pytest.raises(NeedsError, match=r"2 of 10 have none \(first: i3\)") as caught:
        run(tmp_path, "r", path, "length", "bleu")
    assert "--skip-incomplete" in caught.value.hint
    report = run(tmp_path, "s", path, "bleu", skip_incomplete=True)
    assert [report.cells[s]["bleu-1"].n for s in ("s0", "s1")] == [5, 3]
    table = pq.read_table(tmp_path / "s" / "scores.parquet").to_pydict()
    assert len(table["id"]) == 10
    assert np.isnan([table["bleu-4"][3], table["bleu-4"][7]]).all()
    assert run(tmp_path, "t", path, "length", "distinct").n == 10


def test_an_all_empty_system_scores_zero_and_is_counted(tmp_path):
    rows = [row | {"response": "" if row["system"] == "s0" else row["response"]} for row in sample(20)]
    report = run(tmp_path, "r", write_items(tmp_path / "x.jsonl", rows), "bleu", "rouge", "cider", "meteor")
    for column, cell in report.cells["s0"].items():
        assert (cell.mean, cell.corpus, cell.n, cell.floor) == (0.0, 0.0, 10, 1.0), column
    full = run(tmp_path, "f", write_items(tmp_path / "y.jsonl", sample(20)), "bleu", "rouge", "cider", "meteor")
    assert report.cells["s1"] == full.cells["s1"]


def test_two_variants_of_one_metric_get_names_of_their_own(items, tmp_path):
    report = run(tmp_path, "r", items, "bleu(order=1)", "bleu(order=1,variant=coco)")
    assert list(report.cells["s0"]) == ["bleu(order=1):bleu-1", "bleu(variant=coco,order=1):bleu-1"]


@pytest.mark.parametrize(
    ("metrics", "options", "error", "words"),
    [
        (("blue",), {}, UnknownName, "did you mean bleu"),
        (("bleu(variant=sacre)",), {}, UnknownName, "sacrebleu"),
        (("bleu(odrer=2)",), {}, UnknownName, "order"),
        (("bleu(order=two)",), {}, UsageError, "whole number"),
        (("bleu",), {"tok": "word"}, UnknownName, "words"),
        (("bleu", "bleu"), {}, UsageError, "twice"),
        ((), {}, UsageError, "no metric"),
        (("bleu",), {"engine": "gpu"}, UnknownName, "serial"),
        (("bleu",), {"items": "xlsx"}, UsageError, "parquet or jsonl"),
        (("bleu",), {"shard": 0}, UsageError, "--shard"),
    ],
)
def test_wrong_requests_fail_before_work(items, tmp_path, metrics, options, error, words):
    with pytest.raises(error, match=words):
        run(tmp_path, "r", items, *metrics, **options)
    assert not (tmp_path / "r" / "scores.parquet").exists()


def test_item_scores_as_json_lines_hold_the_same_numbers(items, tmp_path):
    run(tmp_path, "p", items, "bleu", "rouge")
    run(tmp_path, "j", items, "bleu", "rouge", items="jsonl")
    table = pq.read_table(tmp_path / "p" / "scores.parquet").to_pylist()
    lines = [json.loads(line) for line in (tmp_path / "j" / "scores.jsonl").read_text().splitlines()]
    assert lines == table


def test_gzip_and_dialogue_files_are_scored_too(tmp_path):
    path = tmp_path / "d.jsonl.gz"
    turns = [
        {"speaker": "user", "text": "hi"},
        {"speaker": "bot", "text": "hello there"},
        {"speaker": "user", "text": "bye"},
    ]
    with gzip.open(path, "wt") as file:
        file.write(json.dumps({"id": "d1", "system": "eliza", "turns": turns}) + "\n")
    report = run(tmp_path, "r", str(path), "length", "distinct")
    assert report.cells["eliza"]["words"].n == 1  # what the user says is not the system's


def test_dstc6_through_the_whole_flow(shared_data, tmp_path):
    """The published table of all 20 systems, to six digits (data README: known answers)."""
    published = json.loads(shared_data("turns/dstc6_t2_system_scores.json").read_text())["objective"]
    metrics = ("bleu(variant=coco)", "rouge(variant=coco)", "cider(variant=coco)")
    report = score(
        ScoreRequest((str(shared_data("turns/dstc6_t2.jsonl.gz")),), metrics, tok="whitespace", output=str(tmp_path / "r"))
    )
    columns = {f"bleu-{n}": f"Bleu_{n}" for n in range(1, 5)} | {"rouge-l": "ROUGE_L", "cider": "CIDEr"}
    assert len(published) == 20
    for system, expected in published.items():
        for ours, theirs in columns.items():
            assert abs(report.cells[system][ours].corpus - expected[theirs]) < 6e-7, (system, ours)


@pytest.mark.parametrize("form", ["parquet", "jsonl"])
def test_item_scores_come_back_as_scores(items, tmp_path, form):
    report = run(tmp_path, "r", items, "bleu", "distinct", items=form)
    scores = report.scores()
    assert scores.items == tuple(row["id"] for row in sample())
    assert set(scores.columns) == {f"bleu-{n}" for n in range(1, 5)}
    mean, n = scores.mean("bleu-2")
    assert n == 40
    assert mean == pytest.approx(np.mean([report.cells[s]["bleu-2"].mean for s in ("s0", "s1")]))
