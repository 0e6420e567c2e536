"""What meta finds: conclusions that follow from the tables, raters filtered, odd studies, and numbers that no order changes."""

import re
from pathlib import Path

import numpy as np
import pytest
from scipy import stats

from dialometer.contracts.meta import MetaRequest
from dialometer.core.errors import DataError, DialometerError
from dialometer.flows.meta.meta import meta
from tests.flows.rated import QUICK, rated_rows, rows_by, rows_by_metric, run_meta, scores_file, truth, write_rows


@pytest.fixture(scope="module")
def rated(tmp_path_factory):
    return write_rows(tmp_path_factory.mktemp("rated") / "rated.jsonl", rated_rows())


@pytest.fixture(scope="module")
def report(rated, tmp_path_factory):
    return meta(MetaRequest((rated,), ("bleu", "rouge"), output=str(tmp_path_factory.mktemp("meta") / "run"), **QUICK))


def test_the_order_of_the_items_changes_no_number(rated, report, tmp_path):
    rows = rated_rows()
    np.random.default_rng(0).shuffle(rows)
    mixed = run_meta(tmp_path, write_rows(tmp_path / "rated.jsonl", rows), ("bleu", "rouge"))
    for key in ("rows", "better", "ceiling", "summary", "means", "bias", "partings"):
        assert mixed.to_json()[key] == report.to_json()[key]


def test_many_columns_leave_enough_permutations_for_holm(rated, tmp_path):
    """78 pairs at 1,000 permutations could never be below 0.05 after Holm's correction."""
    rng = np.random.default_rng(0)
    noise = {f"m{k}": lambda row: rng.normal() for k in range(11)}
    file = scores_file(tmp_path, {"good": truth, **noise})
    found = run_meta(tmp_path, rated, scores=(file,), quality=("overall",), permutations=1000).to_json()
    assert any("clearly better: good;" in said for said in found["summary"])


def test_the_best_is_the_best_of_those_that_are_sure(rated, tmp_path):
    few = iter(range(1000))
    file = scores_file(tmp_path, {"rare": lambda row: truth(row) if next(few) < 4 else "", "broad": lambda row: truth(row)})
    said = run_meta(tmp_path, rated, scores=(file,), quality=("overall",)).summary
    assert any("broad follows people best" in words for words in said)
    assert not any("no column can be shown" in words for words in said)


def test_one_system_may_carry_a_correlation(tmp_path):
    file = tmp_path / "systems.csv"
    file.write_text("system,human,m\na,1,9\nb,1.1,1\nc,1.2,1.3\nd,1.3,0.9\ne,5,30\n")
    found = run_meta(tmp_path, str(file), quality=("human",)).to_json()
    assert any(
        words.startswith("Without e it is -") and words.endswith("it rests on that one system.")
        for words in found["summary"]
    )
    file.write_text("system,human,m\na,1,-1\nb,2,-2.1\nc,3,-2.9\nd,4,-4\ne,5,-5.2\n")
    again = run_meta(tmp_path, str(file), quality=("human",), name="other").to_json()
    assert again["rows"][0]["pearson"]["r"] < -0.99
    assert not any("rests on one system" in words for words in again["summary"])


def test_standard_scores_have_a_scale_of_their_own(rated, tmp_path):
    found = run_meta(tmp_path, rated, ("rouge",), aggregate="z", quality=("overall",), scale="1,5").to_json()["partings"]
    assert found["scale"][0] < 0 < found["scale"][1] < 4
    row = next(row for row in found["rows"] if row["metric"] == "rouge-l")
    assert row["both good"]["count"] + row["both bad"]["count"] > row["overrated"]["count"] + row["underrated"]["count"]


def test_a_table_by_id_is_a_study_of_items(tmp_path):
    file = tmp_path / "items.csv"
    file.write_text("id,human,m\n" + "\n".join(f"i{k},{k % 5},{k % 5 + k / 50}" for k in range(30)))
    found = run_meta(tmp_path, str(file), quality=("human",)).to_json()
    assert {row["level"] for row in found["rows"]} == {"turn"}
    assert found["rows"][0]["n"] == 30


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"metrics": ("bleu",)}, "-m has nothing to work on"),
        ({"where": ("a=b",)}, "--where has nothing"),
        ({"filter_raters": True}, "--filter-raters has nothing"),
        ({"aggregate": "mace"}, "nothing to aggregate"),
        ({"scale": "0,1"}, "lie outside the scale 0…1"),
        ({"quality": ()}, "which column is people's"),
    ],
)
def test_a_table_of_means_refuses_what_it_cannot_use(tmp_path, options, message):
    file = tmp_path / "systems.csv"
    file.write_text("system,human,m\n" + "\n".join(f"s{k},{k},{k * k}" for k in range(5)))
    with pytest.raises(DialometerError, match=message) as caught:
        meta(MetaRequest((str(file),), **{"quality": ("human",), **QUICK, **options, "output": str(tmp_path / "x")}))
    assert caught.value.hint


def test_two_columns_of_one_name_carry_their_files(rated, tmp_path):
    items = scores_file(tmp_path, {"m": truth})
    systems = tmp_path / "systems.csv"
    systems.write_text("system,m\n" + "\n".join(f"s{s},{s}" for s in range(5)))
    for number, files in enumerate([(items, str(systems)), (str(systems), items)]):
        found = run_meta(tmp_path, rated, scores=files, name=str(number)).to_json()
        assert {"mine:m"} == {row["metric"] for row in found["rows"] if row["level"] == "turn"} - {"length-only"}
        there = {row["metric"] for row in found["rows"] if row["level"] == "system"}
        assert there == {"length-only", "mine:m", "systems:m"}


def test_the_filter_shows_both_sides(tmp_path):
    """A rater who presses keys: out, but on the rater page; correlations with and without."""
    rng = np.random.default_rng(3)
    rows = rated_rows(contexts=20)
    for row in rows:
        row["raters"] = [*row["raters"], "dan"]
        row["ratings"] = {"overall": [*row["ratings"]["overall"], int(rng.integers(1, 6))]}
    found = run_meta(tmp_path, write_rows(tmp_path / "r.jsonl", rows), ("rouge",), filter_raters=True).to_json()
    assert found["left_out"]["raters, by the filter"] == 1
    assert found["agreement"]["filter"]["dropped"] == ["dan"]
    assert not found["agreement"]["raters"]["dan"]["kept"]
    assert found["agreement"]["raters"]["dan"]["mace"]["overall"] < found["agreement"]["raters"]["r0"]["mace"]["overall"]
    one = next(row for row in found["filter"] if (row["metric"], row["level"]) == ("rouge-l", "turn"))
    assert one["all"]["spearman"] < one["kept"]["spearman"] == rows_by_metric(found, "turn")["rouge-l"]["spearman"]["r"]


def test_ratings_beside_the_items_are_those_that_a_click_shows(rated, tmp_path):
    table = tmp_path / "judgements.csv"
    lines = [f"{row['id']},r0,overall,{5 if row['system'] == 's4' else 2}" for row in rated_rows()]
    table.write_text("\n".join(["item,rater,quality,value", *lines]))
    found = run_meta(tmp_path, rated, ("rouge",), ratings=str(table))
    with (Path(found.run) / "items.csv").open() as file:
        first = file.readlines()[1]
    assert first.startswith("c0-s0,s0,2,")


def test_items_csv_has_metrics_on_the_human_scale(report):
    import csv

    with (Path(report.run) / "items.csv").open() as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == 60
    own = np.array([float(row["|rouge-l|"]) for row in rows])
    people = np.array([float(row["human:overall"]) for row in rows])
    assert 1 <= own.min() <= own.max() <= 5
    assert abs(own.mean() - people.mean()) < 0.2


def test_judgements_of_probes_are_no_ratings(rated, tmp_path):
    table = tmp_path / "judgements.csv"
    lines = [
        f"{row['id']},r{k},overall,{v},,"[:-1] for row in rated_rows() for k, v in enumerate(row["ratings"]["overall"])
    ]
    probes = ["probe,r0,overall,3,", "probe,r1,overall,4,", "probe,r2,,,1", "probe,r3,,,0"]
    table.write_text("\n".join(["item,rater,quality,value,check", *lines, *probes]))
    found = run_meta(tmp_path, rated, ("rouge",), ratings=str(table), filter_raters=True).to_json()
    assert found["left_out"] == {"rated things that are no items": 1, "raters, by the filter": 1}
    assert found["agreement"]["raters"]["r3"]["why"] == "failed 1 of 1 attention checks"
    assert found["agreement"]["qualities"]["overall"]["judgements"] == 240


def test_a_quality_of_few_systems_stays_out_of_their_level(tmp_path):
    rows = rated_rows()
    for row in rows:
        if row["system"] not in ("s0", "s1"):
            del row["ratings"]["fluent"]
    found = run_meta(tmp_path, write_rows(tmp_path / "r.jsonl", rows), ("rouge",)).to_json()
    assert {row["quality"] for row in found["rows"] if row["level"] == "system"} == {"overall"}
    assert {row["quality"] for row in found["rows"] if row["level"] == "turn"} == {"overall", "fluent"}


def test_items_without_a_system_are_no_system(tmp_path):
    rows = rated_rows(systems=6)
    for row in rows:
        if row["system"] == "s5":
            del row["system"]
    found = run_meta(tmp_path, write_rows(tmp_path / "r.jsonl", rows), ("rouge",)).to_json()
    assert rows_by_metric(found, "system")["rouge-l"]["n"] == 5


def test_unrated_items_are_counted(tmp_path):
    rows = rated_rows()
    for row in rows[:10]:
        row["ratings"] = {"overall": [None] * 4}
    found = run_meta(tmp_path, write_rows(tmp_path / "r.jsonl", rows), ("rouge",), quality=("overall",)).to_json()
    assert found["n"] == 50
    assert "50 responses of 5 systems compared" in found["summary"][0]
    assert found["left_out"]["items without a rating of overall"] == 10


def test_no_draws_mean_no_claims(rated, tmp_path):
    found = run_meta(tmp_path, rated, ("rouge",), resamples=0, permutations=0).to_json()
    assert all(row["p"] is None for row in found["better"] if row["test"] == "perm-both")
    assert not any("PERM-BOTH" in words or "nan" in words for words in found["summary"])
    assert all(row["permutation_p"] is None for row in found["bias"]["difference"])
    page = re.sub(r"<script.*?</script>", "", (tmp_path / "run" / "report.html").read_text(), flags=re.DOTALL)
    assert not re.search(r"\bnan\b", page, re.IGNORECASE)


def test_set_metrics_without_a_level_of_systems_are_named(rated, tmp_path):
    found = run_meta(tmp_path, rated, ("distinct", "rouge"), level=("item",)).to_json()
    assert any(words.startswith("Values of whole systems only") and "distinct-1" in words for words in found["summary"])
    assert not any("too few" in words for words in found["summary"])


def test_a_negative_seed_and_one_named_rater_are_fine(tmp_path):
    rows = rated_rows(raters=1)
    found = run_meta(tmp_path, write_rows(tmp_path / "r.jsonl", rows), ("rouge",), seed=-1).to_json()
    assert "There is no human ceiling" in " ".join(found["summary"])


def test_what_is_rated_but_no_item_is_told_from_nothing_rated(rated, tmp_path):
    table = tmp_path / "judgements.csv"
    table.write_text("item,rater,quality,value,check\nc0-s0,ann,overall,4,\nprobe,ann,overall,3,\nprobe,ann,overall,,1\n")
    found = run_meta(tmp_path, rated, ("rouge",), ratings=str(table)).to_json()
    assert (found["n"], found["left_out"]["rated things that are no items"]) == (1, 1)
    table.write_text("item,rater,quality,value,check\nprobe,ann,overall,3,\nprobe,ann,overall,,1\n")
    with pytest.raises(DataError, match="rates none of these 60 items"):
        run_meta(tmp_path, rated, ("rouge",), ratings=str(table), name="x")


def test_items_that_a_metric_cannot_score_are_named(tmp_path):
    rows = rated_rows(systems=6)
    for row in rows:
        if row["system"] == "s5":
            row["references"] = []
    found = run_meta(tmp_path, write_rows(tmp_path / "r.jsonl", rows), ("rouge",), quality=("overall",)).to_json()
    why = "needs a reference, and 12 of 72 responses have none"
    assert f"12 of 72 have no score by rouge-1, rouge-2, rouge-l (all of s5) ({why})." in found["summary"]
    row = rows_by_metric(found, "system")["rouge-l"]
    kept = [row for row in rows if row["system"] != "s5"]
    means = [
        [np.mean([side(row) for row in kept if row["system"] == f"s{s}"]) for s in range(5)]
        for side in (lambda row: len(row["response"].split()), truth)
    ]
    assert (row["n"], row["length"]) == (5, pytest.approx(stats.pearsonr(*means).statistic))


def test_one_context_gives_no_interval_and_no_claim(tmp_path):
    rows = rated_rows()
    for row in rows:
        row["context_id"] = "same"
    found = run_meta(tmp_path, write_rows(tmp_path / "r.jsonl", rows), ("rouge",)).to_json()
    assert any("there are no intervals" in words for words in found["summary"])
    assert not any("follows people best" in words for words in found["summary"])
    assert not rows_by_metric(found, "context")


def test_what_loses_to_length_is_said_to(tmp_path):
    rows = rated_rows(contexts=30)
    for row in rows:
        row["response"] = "word " * int(10 * truth(row))
    rng = np.random.default_rng(1)
    file = scores_file(tmp_path, {"noise": lambda row: rng.normal()}, rows)
    found = run_meta(
        tmp_path, write_rows(tmp_path / "r.jsonl", rows), scores=(file,), quality=("overall",), permutations=500
    ).to_json()
    assert any("no column is clearly better; clearly worse: noise" in words for words in found["summary"])


def test_a_lone_text_is_one_of_several(rated, tmp_path):
    found = meta(MetaRequest(rated, "rouge", quality="overall", output=str(tmp_path / "run"), **QUICK))
    assert set(rows_by(found, "turn")) == {"length-only", "rouge-1", "rouge-2", "rouge-l"}
