"""meta and files of scores: which columns are metrics, what they are called, whose rows they are, and n that differs."""

import json

import numpy as np
import pytest

from dialometer.contracts.score import ScoreRequest
from dialometer.core.errors import DataError, DialometerError, NeedsError, UnknownName, UsageError
from dialometer.core.registry import create
from dialometer.core.types import Example, Turn
from dialometer.flows.score.score import score
from dialometer.text.corpus import Corpus
from tests.flows.rated import rated_rows, rows_by, run_meta, scores_file, truth, write_rows


def words(row):
    return len(row["response"].split())


@pytest.fixture
def rated(tmp_path):
    return write_rows(tmp_path / "rated.jsonl", rated_rows())


def test_ratings_and_ids_in_a_file_of_scores_are_not_metrics(tmp_path, rated):
    columns = {"mine": words, "human": truth, "human_2": truth, "Fluent": truth, "annotator1": truth, "context_id": words}
    report = run_meta(tmp_path, rated, scores=(scores_file(tmp_path, columns),), quality=("overall",))
    assert set(rows_by(report, "turn")) == {"length-only", "mine"}
    (note,) = report.notes
    assert "human, human_2, Fluent, annotator1, context_id are not taken for metrics" in note
    assert note in report.summary


def test_a_column_that_is_named_is_taken(tmp_path, rated):
    file = scores_file(tmp_path, {"mine": words, "human": truth})
    report = run_meta(tmp_path, rated, scores=(file,), columns=("human",), quality=("overall",))
    assert set(rows_by(report, "turn")) == {"length-only", "human"}
    assert rows_by(report, "turn")["human"]["pearson"]["r"] == pytest.approx(1)
    with pytest.raises(UnknownName, match="nobody"):
        run_meta(tmp_path, rated, scores=(file,), columns=("nobody",), name="other")


def test_a_file_of_ratings_alone_is_refused(tmp_path, rated):
    with pytest.raises(DataError, match="no column of a metric"):
        run_meta(tmp_path, rated, scores=(scores_file(tmp_path, {"human": truth, "rating": truth}),))


def test_a_table_of_means_does_not_rank_other_ratings(tmp_path):
    rng = np.random.default_rng(0)
    lines = [f"s{number},{x:.3f},{x + 1:.3f},{rng.normal():.3f}" for number, x in enumerate(rng.normal(size=8))]
    table = tmp_path / "table.csv"
    table.write_text("\n".join(["system,human,human_fluency,mine", *lines]))
    report = run_meta(tmp_path, str(table), quality=("human",))
    assert {row["metric"] for row in report.to_json()["rows"]} == {"mine"}


@pytest.mark.parametrize("beside", [False, True])
def test_the_scale_is_of_the_qualities_that_are_asked_for(tmp_path, beside):
    made = rated_rows()
    for row in made:
        row["ratings"]["slider"] = [20 * value for value in row["ratings"]["overall"]]
    path, ratings = write_rows(tmp_path / "rated.jsonl", made), ""
    if beside:
        lines = [
            f"{row['id']},{quality},{value}" for row in made for quality, own in row["ratings"].items() for value in own
        ]
        (tmp_path / "judgements.csv").write_text("\n".join(["item,quality,value", *lines]))
        ratings = str(tmp_path / "judgements.csv")
    run_meta(tmp_path, path, ("length",), quality=("overall",), scale="1,5", ratings=ratings)
    with pytest.raises(DialometerError, match="outside the scale"):
        run_meta(tmp_path, path, ("length",), quality=("slider",), scale="1,5", ratings=ratings, name="other")


@pytest.mark.parametrize("extra", [0, 2])
def test_rows_that_where_leaves_out_are_counted_apart(tmp_path, rated, extra):
    made = rated_rows() + [{**rated_rows()[0], "id": f"stranger-{number}"} for number in range(extra)]
    file = scores_file(tmp_path, {"mine": words}, made)
    report = run_meta(tmp_path, rated, scores=(file,), where=("system!=s4",), quality=("overall",))
    (note,) = report.notes
    assert f"48 of {60 + extra} rows match; 12 are of ids that --where leaves out" in note
    assert ("belong to no rated id" in note) == bool(extra)
    assert f"{extra} belong to no rated id" in note or not extra


def test_judgements_of_items_that_where_leaves_out_are_counted_once(tmp_path):
    made = rated_rows()
    bare = [{k: v for k, v in row.items() if k not in ("ratings", "raters")} for row in made]
    path = write_rows(tmp_path / "items.jsonl", bare)
    lines = [f"{row['id']},overall,{value}" for row in made for value in row["ratings"]["overall"]]
    (tmp_path / "judgements.csv").write_text("\n".join(["item,quality,value", *lines, "stranger,overall,3"]))
    report = run_meta(tmp_path, path, ("length",), where=("system!=s4",), ratings=str(tmp_path / "judgements.csv"))
    assert report.left_out == {"items with system=s4": 12, "rated things that are no items": 1}


def test_different_n_is_said_with_the_order_over_the_common_items(tmp_path, rated):
    """The second column has numbers for five items of every six."""
    made = rated_rows()
    holes = {row["id"]: "" if number % 6 == 0 else truth(row) for number, row in enumerate(made)}
    file = scores_file(tmp_path, {"whole": words, "part": lambda row: holes[row["id"]]})
    report = run_meta(tmp_path, rated, scores=(file,), quality=("overall",), level=("item",))
    assert [rows_by(report, "turn")[name]["n"] for name in ("whole", "part")] == [60, 50]
    common = report.to_json()["common"]
    assert (common["n"], common["least"], common["most"]) == (50, 50, 60)
    kept = [row for row in made if holes[row["id"]] != ""]
    wanted = np.corrcoef([words(row) for row in kept], [truth(row) for row in kept])[0, 1]
    assert {row["metric"]: row["pearson"] for row in common["rows"]}["whole"] == pytest.approx(wanted)
    said = next(sentence for sentence in report.summary if "n differs" in sentence)
    assert "from 50 to 60" in said
    assert "Over the 50 that every column has, Spearman is: part 1.00" in said
    pairs = {frozenset((row["a"], row["b"])): row["n"] for row in report.to_json()["better"]}
    assert pairs == {
        frozenset(("length-only", "whole")): 60, frozenset(("length-only", "part")): 50, frozenset(("whole", "part")): 50,
    }  # fmt: skip
    assert "n is 50 to 60" in (tmp_path / "run" / "report.html").read_text(encoding="utf-8")


def test_equal_n_says_nothing_of_it(tmp_path, rated):
    report = run_meta(tmp_path, rated, ("rouge",), quality=("overall",), level=("item",))
    assert not any("n differs" in sentence for sentence in report.summary)


def test_columns_that_two_files_share_carry_the_name_of_their_file(tmp_path, rated):
    files = [scores_file(tmp_path, {"adem": column}, name=name) for name, column in (("a.csv", words), ("b.csv", truth))]
    report = run_meta(tmp_path, rated, scores=tuple(files), quality=("overall",))
    rows = rows_by(report, "turn")
    assert set(rows) == {"length-only", "a:adem", "b:adem"}
    assert rows["b:adem"]["pearson"]["r"] == pytest.approx(1)


def test_files_of_one_stem_carry_their_paths(tmp_path, rated):
    for folder in ("x", "y"):
        (tmp_path / folder).mkdir()
    files = tuple(scores_file(tmp_path / folder, {"adem": words}) for folder in ("x", "y"))
    report = run_meta(tmp_path, rated, scores=files, quality=("overall",))
    assert set(rows_by(report, "turn")) == {"length-only", *(f"{file}:adem" for file in files)}


def test_a_column_of_a_file_and_of_a_metric_are_told_apart(tmp_path, rated):
    file = scores_file(tmp_path, {"rouge-l": words})
    report = run_meta(tmp_path, rated, ("rouge(kinds=l)",), scores=(file,), quality=("overall",))
    assert set(rows_by(report, "turn")) == {"length-only", "rouge-l", "mine:rouge-l"}


def test_the_same_file_twice_is_refused(tmp_path, rated, monkeypatch):
    monkeypatch.chdir(tmp_path)
    file = scores_file(tmp_path, {"mine": words})
    with pytest.raises(UsageError, match="named twice"):
        run_meta(tmp_path, rated, scores=(file, "./mine.csv"))


@pytest.fixture(scope="module")
def judges(tmp_path_factory):
    """Two folders: the same judge with the same options, fitted on opposite ratings."""
    folder = tmp_path_factory.mktemp("judges")
    corpus = Corpus.build(
        Example(str(n), (Turn("u", "hello"),), " ".join(["tea"] * (n + 1)), ("tea",), "s", str(n)) for n in range(16)
    )
    for name, sign in (("a", 1.0), ("b", -1.0)):
        metric = create("metric", "autojudge(encoder=average)")
        metric.fit(corpus, sign * np.arange(16)).save(folder / name)
    return folder


def test_two_fits_of_one_judge_stand_side_by_side(tmp_path, rated, judges, monkeypatch):
    monkeypatch.chdir(judges)
    specs = ("./a", "./b")
    report = score(ScoreRequest((rated,), specs, output=str(tmp_path / "score"), resamples=0))
    columns = report.scores().columns
    assert set(columns) == {"./a:autojudge", "./b:autojudge"}
    assert not np.allclose(columns["./a:autojudge"], columns["./b:autojudge"])
    for spec in specs:
        alone = score(ScoreRequest((rated,), (spec,), output=str(tmp_path / f"alone-{spec[-1]}"), resamples=0)).scores()
        np.testing.assert_allclose(alone.columns["autojudge"], columns[f"{spec}:autojudge"], atol=1e-6)
    validated = run_meta(tmp_path, rated, specs, quality=("overall",), level=("item",))
    assert set(rows_by(validated, "turn")) == {"length-only", *columns}


def test_one_fit_twice_is_refused_however_it_is_spelt(tmp_path, rated, judges, monkeypatch):
    monkeypatch.chdir(judges)
    for other in ("./a", str(judges / "a"), "../" + judges.name + "/a"):
        with pytest.raises(UsageError, match="asked for twice"):
            score(ScoreRequest((rated,), ("./a", other), output=str(tmp_path / "score")))


def test_a_metric_without_any_number_is_told_why(tmp_path):
    made = [{**row, "references": []} for row in rated_rows()]
    path = write_rows(tmp_path / "bare.jsonl", made)
    with pytest.raises(NeedsError, match="rouge-1 needs a reference, and none of 60 responses has one"):
        run_meta(tmp_path, path, ("rouge",))
    report = run_meta(tmp_path, path, ("rouge(kinds=l)", "length"), quality=("overall",), level=("item",), name="other")
    wanted = "Without any number here: rouge-l (needs a reference, and none of 60 responses has one)"
    assert any(sentence.startswith(wanted) for sentence in report.summary)


def test_a_metric_that_lacks_some_numbers_is_told_why(tmp_path):
    made = rated_rows()
    for row in made[:10]:
        row["references"] = []
    report = run_meta(tmp_path, write_rows(tmp_path / "some.jsonl", made), ("rouge(kinds=l)",), quality=("overall",))
    wanted = "10 of 60 have no score by rouge-l (needs a reference, and 10 of 60 responses have none)."
    assert wanted in report.summary
    json.dumps(report.to_json())
