"""meta, whole: the promised form, joins by id, levels, refusals; and the real sets."""

import json
from pathlib import Path

import numpy as np
import pytest
from scipy import stats

from dialometer.contracts.meta import MetaRequest
from dialometer.contracts.score import ScoreRequest
from dialometer.core.errors import DataError, DialometerError, NeedsError, UnknownName, UsageError
from dialometer.flows.meta.meta import meta
from dialometer.flows.score.score import score
from tests.flows.rated import QUICK, rated_rows, rows_by, run_meta, write_rows


@pytest.fixture(scope="module")
def rated(tmp_path_factory):
    return write_rows(tmp_path_factory.mktemp("rated") / "rated.jsonl", rated_rows())


@pytest.fixture(scope="module")
def report(rated, tmp_path_factory):
    return meta(MetaRequest((rated,), ("bleu", "rouge"), output=str(tmp_path_factory.mktemp("meta") / "run"), **QUICK))


def test_the_promised_form(report, tmp_path):
    found = report.to_json()
    assert found["run"].endswith("run")
    for row in found["rows"]:
        assert {"metric", "quality", "level", "n", "pearson", "spearman", "kendall"} <= row.keys()
        for kind in ("pearson", "spearman", "kendall"):
            assert {"r", "p", "low", "high", "holm", "bh"} <= row[kind].keys()
    assert {"a", "b", "test", "p"} <= found["better"][0].keys()
    assert {row["level"] for row in found["rows"]} == {"turn", "context", "system"}
    assert {row["quality"] for row in found["rows"]} == {"overall", "fluent"}
    assert found["quality"] == "overall"  # nobody named one
    json.dumps(found)


def test_numbers_are_scipys(rated, report):
    items = [json.loads(line) for line in Path(rated).read_text(encoding="utf-8").splitlines()]
    human = np.array([np.mean(item["ratings"]["overall"]) for item in items])
    scores = score(ScoreRequest((rated,), ("bleu",), output=report.run + "-score")).scores()
    place = {name: row for row, name in enumerate(scores.items)}
    bleu = scores.columns["bleu-2"][[place[item["id"]] for item in items]]
    row = rows_by(report, "turn")["bleu-2"]
    for kind, theirs in (("pearson", stats.pearsonr), ("spearman", stats.spearmanr), ("kendall", stats.kendalltau)):
        wanted = theirs(bleu, human)
        assert row[kind]["r"] == pytest.approx(wanted.statistic, abs=1e-9)
        assert row[kind]["p"] == pytest.approx(wanted.pvalue, rel=1e-6)
        assert row[kind]["low"] < row[kind]["r"] < row[kind]["high"]
    systems = np.array([item["system"] for item in items])
    means = [[side[systems == f"s{s}"].mean() for s in range(5)] for side in (bleu, human)]
    assert rows_by(report, "system")["bleu-2"]["pearson"]["r"] == pytest.approx(stats.pearsonr(*means).statistic)


def test_every_table_has_the_length_only_baseline(report):
    for level in ("turn", "context", "system"):
        assert "length-only" in rows_by(report, level)


def test_the_files_of_a_run(report):
    folder = Path(report.run)
    assert (folder / "report.html").stat().st_size > 10_000
    assert (folder / "tables" / "turn-overall.csv").exists()
    assert "\\begin{tabular}" in (folder / "tables" / "turn-overall.tex").read_text()
    assert not (folder / "work").exists()
    assert any((folder / "figures").glob("*.svg"))


def test_the_same_request_gives_the_same_bytes(rated, report, tmp_path):
    again = run_meta(tmp_path, rated, ("bleu", "rouge"))
    for name in ("report.html", "meta.json"):
        assert (Path(again.run) / name).read_bytes() == (Path(report.run) / name).read_bytes()


def test_scores_come_from_a_run_or_a_file_as_well(rated, report, tmp_path):
    scored = score(ScoreRequest((rated,), ("bleu", "rouge"), output=str(tmp_path / "score")))
    from_run = run_meta(tmp_path, rated, scores=(scored.run,), name="a")
    assert rows_by(from_run, "turn")["rouge-l"] == rows_by(report, "turn")["rouge-l"]
    scores = scored.scores()
    lines = [f"{name},{value!r}" for name, value in zip(scores.items, scores.columns["bleu-2"].tolist(), strict=True)]
    file = tmp_path / "mine.csv"
    file.write_text("\n".join(["id,mine", *reversed(lines)]))  # joined by id, never by place
    mine = run_meta(tmp_path, rated, scores=(str(file),), name="b")
    assert rows_by(mine, "turn")["mine"]["pearson"]["r"] == rows_by(report, "turn")["bleu-2"]["pearson"]["r"]


def test_scores_by_system_join_at_system_level(rated, tmp_path):
    file = tmp_path / "systems.csv"
    file.write_text("system,mine\n" + "\n".join(f"s{s},{s}" for s in range(5)))
    found = run_meta(tmp_path, rated, scores=(str(file),))
    assert rows_by(found, "system")["mine"]["pearson"]["r"] > 0.9
    assert "mine" not in rows_by(found, "turn")


def test_ratings_from_a_table_of_judgements(rated, report, tmp_path):
    items = [json.loads(line) for line in Path(rated).read_text(encoding="utf-8").splitlines()]
    lines = [
        f"{item['id']},{rater},overall,{value}"
        for item in items
        for rater, value in zip(item["raters"], item["ratings"]["overall"], strict=True)
    ]
    table = tmp_path / "judgements.csv"
    table.write_text("\n".join(["item,rater,quality,value", *lines, "stranger,r0,overall,3"]))
    bare = write_rows(tmp_path / "bare.jsonl", [{k: v for k, v in item.items() if k != "ratings"} for item in items])
    found = run_meta(tmp_path, bare, ("bleu", "rouge"), ratings=str(table))
    assert rows_by(found, "turn")["bleu-2"] == rows_by(report, "turn")["bleu-2"]
    assert found.left_out == {"rated things that are no items": 1}


def test_items_that_take_part_are_chosen_and_counted(rated, tmp_path):
    found = run_meta(tmp_path, rated, ("bleu",), where=("checked=true", "system!=s4"), quality=("overall",))
    assert found.n == 36
    assert found.left_out == {"items without checked=true": 12, "items with system=s4": 12}
    assert "left out: items without checked=true (12), items with system=s4 (12)." in found.summary[0]


def test_a_metric_without_numbers_and_a_constant_one_are_said(tmp_path):
    rows = rated_rows()
    for row in rows:
        row["references"] = []
    file = tmp_path / "flat.csv"
    file.write_text("id,flat,none\n" + "\n".join(f"{row['id']},1," for row in rows))
    found = run_meta(tmp_path, write_rows(tmp_path / "r.jsonl", rows), ("bleu",), scores=(str(file),))
    turn = rows_by(found, "turn")
    assert turn["bleu-1"]["pearson"]["r"] is None
    assert turn["bleu-1"]["n"] == 0
    assert turn["flat"]["pearson"]["r"] is None
    assert turn["flat"]["n"] == 60
    assert found.to_json()["constant"]["still"] == ["flat"]
    assert {"bleu-1", "none"} <= set(found.to_json()["constant"]["without"])
    said = " ".join(found.summary)
    assert "Without any number here: " in said
    assert "Constant, so without a correlation: flat" in said


def test_ratings_that_never_vary_are_said(tmp_path):
    rows = rated_rows()
    for row in rows:
        row["ratings"] = {"overall": [3, 3, 3, 3]}
    found = run_meta(tmp_path, write_rows(tmp_path / "r.jsonl", rows), ("bleu",))
    assert "ratings of overall" in found.to_json()["constant"]["still"]
    assert all(row["pearson"]["r"] is None for row in found.to_json()["rows"])


def test_two_systems_have_no_system_level(tmp_path):
    few = write_rows(tmp_path / "few.jsonl", [row for row in rated_rows() if row["system"] in ("s0", "s4")])
    found = run_meta(tmp_path, few, ("bleu",))
    assert not rows_by(found, "system")
    assert any("2 systems are too few" in said for said in found.summary)
    with pytest.raises(NeedsError, match="fewer than 4"):
        run_meta(tmp_path, few, ("bleu",), name="other", level=("system",))
    assert not (tmp_path / "other").exists()  # the place is free for the mended command


@pytest.mark.parametrize(
    ("options", "kind", "message"),
    [
        ({"quality": ("fun",)}, UnknownName, "(?s)no quality named 'fun'.*-q one of: overall, fluent"),
        ({"level": ("word",)}, UnknownName, "no level named 'word'"),
        ({"aggregate": "mode"}, UnknownName, "no way to aggregate named 'mode'"),
        ({"level": ("item", "item")}, UsageError, "named twice"),
        ({"min_kappa": 5}, UsageError, "--min-kappa is -1 to 1, not 5"),
        ({"weights": "cubic"}, UsageError, "--weights is quadratic"),
        ({"also": ("magic",)}, UnknownName, "no analysis named 'magic'"),
        ({"where": ("colour=red",)}, UnknownName, "no field named 'colour'"),
        ({"where": ("system=nobody",)}, UsageError, "no item meets system=nobody"),
        ({"where": ("system",)}, UsageError, "a condition is key=value"),
        ({"scale": "1,4"}, DataError, r"a rating of 5 is outside the scale 1…4 \(overall\)"),
        ({"scale": "high"}, UsageError, "a scale is its lowest and highest rating"),
        ({"metrics": ()}, UsageError, "no metric was named"),
        ({"metrics": ("blue",)}, UnknownName, "did you mean bleu"),
        ({"seed": 2**70}, UsageError, "--seed is"),
    ],
)
def test_requests_that_cannot_be_met(rated, tmp_path, options, kind, message):
    with pytest.raises(kind, match=message) as caught:
        meta(MetaRequest((rated,), **{"metrics": ("bleu",), **QUICK, **options, "output": str(tmp_path / "x")}))
    assert caught.value.hint
    assert not (tmp_path / "x").exists()


def test_scores_of_strangers_are_refused(rated, tmp_path):
    file = tmp_path / "mine.csv"
    file.write_text("id,mine\nx,1\ny,2\n")
    with pytest.raises(DataError, match=r"its 2 rows match none of the 60 ids \(there: x, y, …; wanted: c0-s0") as caught:
        run_meta(tmp_path, rated, scores=(str(file),))
    assert caught.value.hint


def test_some_scores_are_missing_and_it_is_said(rated, tmp_path):
    file = tmp_path / "mine.csv"
    file.write_text("id,mine\nc0-s0,1\nc1-s1,2\nc2-s2,2\nc3-s4,3\nx,1\n")
    found = run_meta(tmp_path, rated, scores=(str(file),))
    assert rows_by(found, "turn")["mine"]["n"] == 4
    note = "mine.csv: 4 of 5 rows match; 1 belong to no rated id (first: x); 56 rated ids have no score (first: c0-s1)."
    assert note in found.summary


@pytest.mark.parametrize("aggregate", ["median", "z", "mace", "dawid-skene"])
def test_other_ways_to_aggregate(rated, tmp_path, aggregate):
    found = run_meta(tmp_path, rated, ("rouge",), aggregate=aggregate, quality=("overall",))
    assert rows_by(found, "turn")["rouge-l"]["spearman"]["r"] > 0.3


def test_anonymous_raters_refuse_what_needs_them(tmp_path):
    rows = rated_rows()
    for row in rows:
        del row["raters"]
    file = write_rows(tmp_path / "r.jsonl", rows)
    found = run_meta(tmp_path, file, ("bleu",))
    assert found.to_json()["agreement"]["raters"] == {}
    assert "column i of a rating list is not a fixed person" in found.to_json()["agreement"]["why"]
    assert found.to_json()["agreement"]["qualities"]["overall"]["alpha"]["value"] > 0.3
    for options in ({"filter_raters": True}, {"aggregate": "mace"}):
        with pytest.raises(DialometerError, match="who judged"):
            run_meta(tmp_path, file, ("bleu",), name="x", **options)


def test_also_references_stopwords_and_stress(rated, tmp_path):
    found = run_meta(tmp_path, rated, ("rouge(kinds=l)",), also=("all",), quality=("overall",)).to_json()["also"]
    assert list(found) == ["references", "retrieved", "stopwords", "speakers", "stress"]
    assert found["references"]["rows"][0]["k"] == 1
    assert "why" in found["speakers"]  # nothing to strip in these
    assert {row["perturbation"] for row in found["stress"]["rows"]} > {"reversed-words", "empty"}
    with pytest.raises(NeedsError, match="no item changes"):
        run_meta(tmp_path, rated, ("bleu",), name="x", also=("speakers",))


def test_preferences_and_factors(rated, tmp_path):
    choices = tmp_path / "choices.csv"
    lines = [f"{i},s0,s1,ann,fun,{'b' if i % 4 else 'a'}" for i in range(20)] + ["20,s0,s1,bob,fun,tie"]
    choices.write_text("\n".join(["item,a,b,rater,quality,choice", *lines]))
    systems = tmp_path / "systems.toml"
    systems.write_text("".join(f'[s{s}]\nbig = {str(s > 1).lower()}\nkind = "{"ab"[s % 2]}"\n' for s in range(5)))
    found = run_meta(tmp_path, rated, ("bleu",), preferences=str(choices), systems=str(systems)).to_json()
    pair = found["preferences"]["pairs"][0]
    assert pair["every"]["win"]["share"] == pytest.approx(5 / 21)
    effects = {effect["name"]: effect["p"] for effect in found["anova"]["tables"]["overall"]["effects"]}
    assert effects["big"] < 1e-6 < effects["kind"]


def test_dialogues_are_scored_by_their_bots_turns(shared_data, tmp_path):
    """10 bots; conversations that failed quality control are left out and counted (1,824 − 1,290 = 534)."""
    found = run_meta(
        tmp_path, str(shared_data("dialogues/ji2022_free_run1.jsonl.gz")), ("length", "distinct"),
        where=("quality_control_passed=true", "system!=quality_control"), quality=("interesting", "topic"),
    )  # fmt: skip
    assert found.unit == "dialogue"
    assert found.left_out["items without quality_control_passed=true"] == 534
    assert len(found.systems) == 10
    assert rows_by(found, "dialogue", "interesting")["words"]["n"] == found.n
    row = rows_by(found, "system", "interesting")["distinct-1"]
    assert row["n"] == 10
    assert row["pearson"]["test"] == "exact"


def test_topical_chat_in_one_run(shared_data, tmp_path):
    """Weighted κ, filter, ceiling and correlations; α = 0.66 as the data's README has it."""
    found = run_meta(
        tmp_path, str(shared_data("turns/usr_topicalchat.jsonl.gz")), ("bleu", "rouge", "length"),
        where=("system!=Original Ground Truth",), filter_raters=True,
    ).to_json()  # fmt: skip
    whole = found["agreement"]["qualities"]["Overall"]
    assert whole["alpha"]["value"] == pytest.approx(0.66, abs=0.03)
    assert whole["kappa"]["n"] == 10
    assert whole["kappa"]["pairs"]["0.2"] == 10
    assert len(found["agreement"]["raters"]) == 5
    human = next(r for r in found["ceiling"]["Overall"]["rows"] if (r["level"], r["kind"]) == ("item", "spearman"))
    assert 0.6 < human["low"] < human["r"] < human["high"] < human["reach"] < 1
    assert found["n"] == 300


def test_nineteen_generators(shared_data, tmp_path):
    found = run_meta(
        tmp_path, str(shared_data("turns/zhao_dailydialog.jsonl.gz")), ("bleu",), where=("system!=ground-truth",),
        quality=("appropriateness",),
    )  # fmt: skip
    assert rows_by(found, "system", "appropriateness")["bleu-1"]["n"] == 20


def test_sixty_thousand_judgements(shared_data, tmp_path):
    """317 raters, 10 systems: filter, MACE, ceiling and the system-level table."""
    found = run_meta(
        tmp_path, str(shared_data("turns/dstc7_task2.jsonl.gz")), ("length",), filter_raters=True, aggregate="mace",
        quality=("relevance",),
    ).to_json()  # fmt: skip
    assert found["left_out"]["raters, by the filter"] > 50
    assert {row["n"] for row in found["rows"] if row["level"] == "system"} == {10}
    assert any(row["level"] == "system" and row["r"] > 0.5 for row in found["ceiling"]["relevance"]["rows"])
