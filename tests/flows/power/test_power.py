"""power as a function: the promised numbers, both questions, real ratings, and what it refuses."""

import csv
import json

import numpy as np
import pytest

from dialometer.contracts.power import PowerRequest
from dialometer.core.errors import DataError, NeedsError, UnknownName, UsageError
from dialometer.flows.power.power import power
from dialometer.stats.power.rating_pool import make_pool
from dialometer.stats.power.systems import power_grid

QUICK = {"items": "20,80", "raters": "1,3", "simulations": 300}


def rows(contexts=40, raters=3, seed=0):
    """Two systems on the same contexts, rated 1 to 5 by named people."""
    rng = np.random.default_rng(seed)
    made = []
    for c in range(contexts):
        for s in range(2):
            ratings = (
                np.clip(np.rint(3 + 0.3 * s + rng.normal() + 0.8 * rng.normal(size=raters)), 1, 5).astype(int).tolist()
            )
            made.append({
                "id": f"c{c}s{s}", "context": [f"hello {c}"], "response": f"hi {c} {s}", "system": "ab"[s],
                "ratings": {"overall": ratings}, "raters": [f"r{k}" for k in range(raters)],
            })  # fmt: skip
    return made


@pytest.fixture
def rated(tmp_path):
    path = tmp_path / "rated.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows()))
    return str(path)


@pytest.fixture
def scores(tmp_path):
    rng = np.random.default_rng(1)
    path = tmp_path / "scores.csv"
    lines = [f"{row['id']},{np.mean(row['ratings']['overall']) + rng.normal():.4f},{rng.normal():.4f},1" for row in rows()]
    path.write_text("\n".join(["id,good,bad,third", *lines, "stranger,1,2,3"]) + "\n")
    return str(path)


def plan(tmp_path, inputs, name="r", **options):
    return power(PowerRequest((inputs,), output=str(tmp_path / name), **(QUICK | options)))


def test_the_grid_is_that_of_the_statistics(rated, tmp_path):
    found = plan(tmp_path, rated, effect="0.5").results["systems"]
    made = sorted(rows(), key=lambda row: row["id"])
    value = np.array([v for row in made for v in row["ratings"]["overall"]], float)
    order = {name: str(number) for number, name in enumerate(dict.fromkeys(row["context"][0] for row in made))}
    groups = [order[row["context"][0]] for row in made]
    pool = make_pool(value, np.repeat(np.arange(80), 3), np.tile(np.arange(3), 80), [row["system"] for row in made], groups)
    grid = power_grid(pool, 0.5, [20, 80], [1, 3], simulations=300)
    wanted = {(cell.items, cell.raters): cell.power for cell in grid.cells}
    for cell in found["cells"]:
        assert cell["power"] == wanted[cell["items"], cell["raters"]]
        assert cell["low"] < cell["power"] < cell["high"]
    assert found["components"]["ratings"] == 240
    assert found["effect_sd"] == pytest.approx(0.5 / pool.components.sd)
    assert found["needed"]["3"]["power"] >= 0.8


def test_the_files_of_a_run(rated, tmp_path):
    report = plan(tmp_path, rated, effect="0.5")
    folder = tmp_path / "r"
    assert {path.name for path in folder.iterdir()} - {".lock"} == {"power.csv", "power.json", "power.png", "run.json"}
    with (folder / "power.csv").open() as file:
        table = list(csv.DictReader(file))
    assert [(row["items"], row["raters"]) for row in table] == [("20", "1"), ("80", "1"), ("20", "3"), ("80", "3")]
    assert float(table[0]["power"]) == pytest.approx(report.results["systems"]["cells"][0]["power"], abs=1e-4)
    assert json.loads((folder / "power.json").read_text()) == report.results
    assert report.to_json()["run"] == str(folder)


def test_a_finished_run_is_read_again(rated, tmp_path):
    first = plan(tmp_path, rated, effect="0.5")
    before = (tmp_path / "r" / "power.png").stat().st_mtime_ns
    assert plan(tmp_path, rated, effect="0.5") == first
    assert (tmp_path / "r" / "power.png").stat().st_mtime_ns == before
    other = plan(tmp_path, rated, "other", effect="0.5", seed=1)
    assert other.results["systems"]["cells"] != first.results["systems"]["cells"]


def test_effects_in_deviations_and_from_the_data(rated, tmp_path):
    found = plan(tmp_path, rated, "sd", effect="0.5sd").results["systems"]
    assert found["effect_sd"] == pytest.approx(0.5)
    seen = plan(tmp_path, rated, "seen", a="a", b="b").results["systems"]
    means = {s: np.mean([row["ratings"]["overall"] for row in rows() if row["system"] == s]) for s in "ab"}
    assert seen["effect"] == pytest.approx(means["b"] - means["a"])
    assert seen["from_data"]


def test_pairing_and_a_panel(rated, tmp_path):
    found = plan(tmp_path, rated, effect="0.5", paired=True, panel=True).results["systems"]
    assert found["paired"]
    assert found["panel"]


def test_two_metrics(rated, scores, tmp_path):
    found = plan(tmp_path, rated, scores=scores, metrics=("good", "bad"), items="20,80,320").results
    assert found["systems"] is None
    metrics = found["metrics"]
    assert metrics["r_a"] > metrics["r_b"]
    assert (metrics["n"], metrics["strangers"]) == (80, 1)
    assert [cell["items"] for cell in metrics["cells"]] == [20, 80, 320]
    both = plan(tmp_path, rated, "both", scores=scores, metrics=("good", "bad"), effect="0.3").results
    assert both["systems"]
    assert both["metrics"]


def test_a_table_of_judgements_alone(tmp_path):
    path = tmp_path / "judgements.csv"
    lines = [f"{row['id']},{rater},overall,{value}" for row in rows() for rater, value in
             zip(row["raters"], row["ratings"]["overall"], strict=True)]  # fmt: skip
    path.write_text("\n".join(["item,rater,quality,value", *lines]) + "\n")
    found = plan(tmp_path, str(path), effect="0.5").results["systems"]
    assert found["components"]["items"] == 80


@pytest.mark.parametrize(
    ("error", "options"),
    [
        (UsageError, {}),  # no effect
        (UsageError, {"effect": "big"}),
        (UsageError, {"effect": "nan"}),
        (UsageError, {"effect": "0.3", "items": "ten"}),
        (UsageError, {"effect": "0.3", "items": "1"}),
        (UsageError, {"effect": "0.3", "raters": "0"}),
        (UsageError, {"effect": "0.3", "test": "z"}),
        (UsageError, {"effect": "0.3", "kind": "kendall"}),
        (UsageError, {"effect": "0.3", "simulations": 1}),
        (UsageError, {"effect": "0.3", "seed": 2**64}),
        (UsageError, {"effect": "0.3", "metrics": ("x", "y")}),
        (UnknownName, {"effect": "0.3", "quality": "fluency"}),
        (UnknownName, {"a": "a", "b": "z"}),
        (UsageError, {"effect": "0.3", "a": "a"}),
    ],
)
def test_what_cannot_be_planned_leaves_no_run(rated, tmp_path, error, options):
    with pytest.raises(error) as refused:
        plan(tmp_path, rated, **options)
    assert refused.value.hint
    assert not (tmp_path / "r").exists()


def test_scores_that_do_not_fit(rated, scores, tmp_path):
    with pytest.raises(UsageError, match="3 columns"):
        plan(tmp_path, rated, scores=scores)
    with pytest.raises(UnknownName):
        plan(tmp_path, rated, scores=scores, metrics=("good", "ugly"))
    others = tmp_path / "others.csv"
    others.write_text("id,x,y\nz1,1,2\n")
    with pytest.raises(DataError, match="none of these 80 items"):
        plan(tmp_path, rated, scores=str(others))
    systems = tmp_path / "systems.csv"
    systems.write_text("system,x,y\na,1,2\n")
    with pytest.raises(NeedsError, match="per system"):
        plan(tmp_path, rated, scores=str(systems))


def test_real_ratings_of_named_people(shared_data, tmp_path):
    """USR on Topical-Chat: three named raters an item; one more rater helps, and five can only be simulated."""
    path = str(shared_data("turns/usr_topicalchat.jsonl.gz"))
    found = plan(tmp_path, path, quality="Overall", effect="0.3", items="50,150", raters="1,3,5", paired=True)
    table = {(c["items"], c["raters"]): c for c in found.results["systems"]["cells"]}
    assert table[150, 1]["power"] < table[150, 3]["power"]
    assert (table[50, 3]["method"], table[50, 5]["method"]) == ("resampled", "components")
    parts = found.results["systems"]["components"]
    assert parts["items"] == 360
    assert 0 < parts["context"] < parts["item"] < parts["sd"] ** 2


def test_real_conversations_of_nameless_raters(shared_data, tmp_path):
    """DSTC9: raters hardly agree, so items differ by little and raters count for nearly as much as items."""
    path = str(shared_data("dialogues/dstc9_interactive.jsonl.gz"))
    found = plan(tmp_path, path, quality="overall", effect="0.3").results
    assert found["unit"] == "dialogue"
    parts = found["systems"]["components"]
    assert parts["rater"] is None
    assert parts["item"] < 0.1 * parts["residual"]
