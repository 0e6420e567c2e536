"""train JUDGE: rated items in; a run folder out that is a metric, and says how far it may be trusted."""

import csv
import json
import re

import numpy as np
import pytest
from scipy import stats

from dialometer.contracts.score import ScoreRequest
from dialometer.contracts.train import TrainRequest
from dialometer.core import registry
from dialometer.core.errors import MissingResource, NeedsError, SpecError, UnknownName, UsageError
from dialometer.core.registry import create
from dialometer.flows.score.score import score
from dialometer.flows.train.train import train, trainable
from tests.flows.rated import rated_rows, write_rows
from tests.flows.train_judge import plain
from tests.flows.train_judge.test_dataset import dialogue

QUICK = {"quality": "overall", "metrics": ("rouge",), "quick": True, "folds": 4, "drop_references_equal": False}


@pytest.fixture(autouse=True)
def judges(monkeypatch):
    plain.register(monkeypatch)
    yield
    registry._menu.cache_clear()


@pytest.fixture
def rated(tmp_path):
    return write_rows(tmp_path / "rated.jsonl", rated_rows())


def trained(tmp_path, path, spec="plain", name="run", **options):
    return train(TrainRequest(spec, (path,), output=str(tmp_path / name), **{**QUICK, **options}))


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    """One training with every analysis."""
    patch = pytest.MonkeyPatch()
    plain.register(patch)
    folder = tmp_path_factory.mktemp("whole")
    path = write_rows(folder / "rated.jsonl", rated_rows())
    report = trained(folder, path, quick=False, beside=("plain(ridge=500)",), licence="CC0")
    yield folder / "run", report
    patch.undo()
    registry._menu.cache_clear()


def predictions(folder):
    with (folder / "predictions.csv").open() as file:
        return list(csv.DictReader(file))


def column(rows, name):
    return np.array([float(row[name]) for row in rows])


def test_judges_are_offered_as_judges():
    assert trainable()["plain"] == "judge"
    assert trainable()["amfm"] == "metric"


def test_the_promised_numbers_are_those_of_the_predictions(whole):
    folder, report = whole
    found, rows = report.to_json(), predictions(folder)
    human = column(rows, "human")
    expected = {row["id"]: np.mean(row["ratings"]["overall"]) for row in rated_rows()}
    assert [row["id"] for row in rows] == sorted(expected)
    assert human.tolist() == [expected[row["id"]] for row in rows]
    for way in ("context", "system"):
        said, table = column(rows, f"by_{way}"), found["folds"][way]
        assert {"spearman", "pearson", "mae"} <= table.keys()
        assert table["pooled"]["pearson"]["r"] == pytest.approx(stats.pearsonr(said, human)[0])
        assert table["pooled"]["spearman"]["r"] == pytest.approx(stats.spearmanr(said, human)[0])
        assert table["pooled"]["mae"] == pytest.approx(np.abs(said - human).mean())
        assert table["spread"] == pytest.approx(said.std() / human.std())
        for name in ("pearson", "spearman", "mae"):
            assert table[name] == pytest.approx(np.mean([fold[name] for fold in table["each"]]))
    assert len(found["folds"]["context"]["each"]) == 4
    lengths = {row["id"]: len(row["response"].split()) for row in rated_rows()}
    words = np.array([lengths[row["id"]] for row in rows])
    assert found["baselines"]["length-only"]["spearman"]["r"] == pytest.approx(stats.spearmanr(words, human)[0])
    assert {"rouge-1", "rouge-2", "rouge-l"} <= found["baselines"].keys()
    assert found["best"].startswith("rouge")


def test_every_part_of_the_demand_is_there(whole):
    _, report = whole
    found = report.judge
    assert {row.level for row in found.ceiling.rows} == {"item", "system"}
    assert [row.system for row in found.leave_one_system_out.rows] == ["s0", "s1", "s2", "s3", "s4"]
    assert [share.share for share in found.amounts.shares] == [0.05, 0.1, 0.25, 0.5, 0.75, 1.0]
    assert found.amounts.test + found.amounts.training == 60
    assert {row.perturbation for row in found.stress.rows} >= {
        "empty",
        "generic",
        "copy-context",
        "shuffled-words",
    }
    assert {row.name for row in found.stress.degenerate} == {"empty", "said-twice", "copy-context", "generic"}
    assert sum(one.n for one in found.calibration.context.bins) == 60
    assert found.seconds.fit >= 0
    assert found.judges["plain(ridge=500)"].context.mae > found.folds.context.mae
    assert found.judges["plain(ridge=500)"].context.williams.pearson.p <= 1
    assert found.fitted == {"rows": 60}
    assert len(found.systems.rows) == 5
    assert len(found.summary) == len(found.tones)


def test_card_and_report(whole):
    folder, report = whole
    card = (folder / "card.md").read_text()
    digest = report.judge.data[0].blake2b
    for words in (
        "`rated.jsonl`",
        digest,
        "licence: CC0",
        "60 turns",
        report.judge.recipe,
        "this judge, by system",
        "| length-only |",
    ):
        assert words in card
    assert str(folder) not in card
    page = (folder / "report.html").read_text()
    for title in ("How far it gets", "Does a score mean what it says?", "Systems left out of training", "How much data it needs",
                  "Perturbed replies", "Fold by fold", "What it rests on"):  # fmt: skip
        assert title in page
    assert "http://" not in re.sub(r"http://www\.w3\.org/\S+", "", page)
    assert {
        "figures.csv",
        "williams.csv",
        "leave-one-system-out-spearman.csv",
        "efficiency.csv",
        "degenerate.csv",
        "bins-context.csv",
    } <= {path.name for path in (folder / "tables").iterdir()}
    assert not (folder / "work").exists()


def test_the_folder_is_a_metric(whole, tmp_path):
    folder, _ = whole
    judge = create("metric", str(folder))
    assert judge.fitted
    path = write_rows(tmp_path / "rated.jsonl", rated_rows())
    scores = score(ScoreRequest((path,), (str(folder),), output=str(tmp_path / "score"))).scores()
    human = {row["id"]: np.mean(row["ratings"]["overall"]) for row in rated_rows()}
    assert stats.spearmanr(scores.columns["plain"], [human[name] for name in scores.items])[0] > 0.5


def test_a_finished_run_is_reprinted(rated, tmp_path):
    first = trained(tmp_path, rated)
    fits = plain.COUNT["fits"]
    assert trained(tmp_path, rated) == first
    assert plain.COUNT["fits"] == fits


@pytest.mark.parametrize("most", [0, 3, 20])
def test_a_kill_costs_the_fit_in_flight(rated, tmp_path, most):
    options = {"quick": False, "metrics": ("length",)}
    trained(tmp_path, rated, name="whole", **options)
    every = plain.COUNT["fits"]
    plain.COUNT.update(fits=0, most=most)
    with pytest.raises(KeyboardInterrupt):
        trained(tmp_path, rated, name="cut", **options)
    plain.COUNT.update(fits=0, most=10**9)
    trained(tmp_path, rated, name="cut", **options)
    assert plain.COUNT["fits"] == every - most
    for name in (
        "predictions.csv",
        "tables/leave-one-system-out-spearman.csv",
        "tables/efficiency.csv",
        "model/arrays.safetensors",
    ):
        assert (tmp_path / "cut" / name).read_bytes() == (tmp_path / "whole" / name).read_bytes()


def test_copies_of_references_stay_out_unless_kept(tmp_path):
    rows = rated_rows()
    rows[3]["response"] = rows[3]["references"][0]
    path = write_rows(tmp_path / "rated.jsonl", rows)
    copies = sum(row["response"] in row["references"] for row in rows)
    found = trained(tmp_path, path, drop_references_equal=True).judge
    assert found.left_out == {"items whose response is one of their own references": copies}
    assert found.n == 60 - copies
    assert any(f"Left out: {copies} items whose response" in words for words in found.summary)
    assert trained(tmp_path, path, name="kept").judge.n == 60


def test_without_systems_a_part_is_left_out_with_a_reason(tmp_path):
    path = write_rows(tmp_path / "rated.jsonl", [row | {"system": "only"} for row in rated_rows()])
    report = trained(tmp_path, path, quick=False)
    assert report.judge.folds.system is None
    assert report.judge.left_out_analyses == {"by system": "all items are of only"}
    assert report.judge.leave_one_system_out is None
    assert list(predictions(tmp_path / "run")[0]) == ["id", "system", "human", "by_context", "by_context_aligned"]


def test_dialogues_are_judged_by_the_mean_of_their_replies(tmp_path):
    rows = [dialogue(number, f"s{number % 3}", 1 + number % 4) for number in range(24)]
    path = write_rows(tmp_path / "rated.jsonl", rows)
    report = trained(tmp_path, path, "cheat", metrics=("length",))
    assert (report.judge.unit, report.judge.n, report.judge.replies) == ("dialogue", 24, 48)
    assert [row["id"] for row in predictions(tmp_path / "run")] == [row["id"] for row in rows]


def test_a_judge_is_fitted_again_with_its_own_options(rated, tmp_path):
    trained(tmp_path, rated, "plain(ridge=7)", name="first")
    again = trained(tmp_path, rated, str(tmp_path / "first"), name="second")
    assert again.judge.spec == "plain(ridge=7.0)"
    assert create("metric", again.run).ridge == 7


def test_a_judge_is_fitted_again_on_another_scale(tmp_path):
    pytest.importorskip("wordllama")
    rows = rated_rows()
    spec = "autojudge(encoder=average,also=length)"
    trained(tmp_path, write_rows(tmp_path / "a.jsonl", rows), spec, "first", scale="1,5", metrics=("length",))
    for row in rows:
        row["ratings"] = {"overall": [value / 5 for value in row["ratings"]["overall"]]}
    again = trained(
        tmp_path,
        write_rows(tmp_path / "b.jsonl", rows),
        str(tmp_path / "first"),
        "second",
        scale="0,1",
        metrics=("length",),
    )
    judge = create("metric", again.run)
    assert (judge.low, judge.high) == (0, 1)
    assert judge.head.arrays["scale"].tolist() == [0, 1]


def test_a_judge_is_not_set_beside_itself(rated, tmp_path):
    found = trained(tmp_path, rated, "plain(ridge=5)", beside=("plain(ridge=5)", "plain(ridge=7)")).judge
    assert list(found.judges) == ["plain(ridge=7)"]


def test_a_feature_that_learnt_these_very_ratings_is_told(rated, tmp_path):
    first = trained(tmp_path, rated, name="first").run
    found = trained(tmp_path, rated, f"stack(features={first};length)", "second").judge
    assert list(found.overlap) == [first]
    assert found.overlap[first] > 0.9  # the small judge remembers replies, not what they answer
    assert any("of these replies and turns" in words and "flatter" in words for words in found.summary)


def test_contexts_too_few_for_the_long_analyses_leave_them_out_with_a_reason(tmp_path):
    rows = rated_rows()
    for number, row in enumerate(
        rows
    ):  # three contexts, the last of a single item: two folds of two items or more, not three
        row["group"] = f"g{0 if number < len(rows) // 2 else 1 if number < len(rows) - 1 else 2}"
    found = trained(tmp_path, write_rows(tmp_path / "few.jsonl", rows), quick=False, folds=2).judge
    assert len(found.folds.context.each) == 2
    assert (found.stress, found.amounts, found.leave_one_system_out) == (None, None, None)
    assert found.unfitted == [f"{len(rows)} rated items of 3 contexts leave 1 for a fold of 3; a fold needs two"]
    assert any("a fold needs two" in words for words in found.summary)


def test_ratings_beside_the_items(tmp_path):
    rows = rated_rows()
    table = ["item,rater,quality,value"]
    table += [
        f"{r['id']},{who},overall,{v}" for r in rows for who, v in zip(r["raters"], r["ratings"]["overall"], strict=True)
    ]
    (tmp_path / "table.csv").write_text("\n".join(table))
    bare = write_rows(
        tmp_path / "bare.jsonl", [{k: v for k, v in row.items() if k not in ("ratings", "raters")} for row in rows]
    )
    inside = trained(tmp_path, write_rows(tmp_path / "rated.jsonl", rows), name="inside")
    beside = trained(tmp_path, bare, name="beside", ratings=str(tmp_path / "table.csv"))
    assert beside.judge.folds == inside.judge.folds


@pytest.mark.parametrize(
    ("options", "error", "says"),
    [
        ({"aggregate": "mode"}, UnknownName, "no way to aggregate named 'mode'"),
        ({"scale": "5,1"}, UsageError, "lowest and highest"),
        ({"folds": 1}, UsageError, "--folds is 2 to 1000, or 0, not 1"),
        ({"folds": 50}, UsageError, "a fold needs two"),
        ({"quality": "wit"}, UnknownName, "no quality named 'wit'"),
        ({"metrics": ("blue",)}, UnknownName, "no metric named 'blue'"),
        ({"beside": ("cheet",)}, UnknownName, "no metric named 'cheet'"),
        ({"tune": ("x",)}, UsageError, "are for other things than judges"),
        ({"human": ("s0",)}, UsageError, "no ratings are read"),
        ({"spec": "runs/nowhere"}, MissingResource, "there is no such folder"),
    ],
)
def test_refusals_leave_no_run(tmp_path, options, error, says):
    path = write_rows(tmp_path / "rated.jsonl", rated_rows(systems=1))
    with pytest.raises(error, match=says) as refused:
        trained(tmp_path, path, options.pop("spec", "plain"), **options)
    assert refused.value.hint
    assert not (tmp_path / "run").exists()


def test_a_folder_of_something_else_is_no_judge(rated, tmp_path):
    (tmp_path / "talk.txt").write_text("i like tea\nyou like cake\ntea is nice\n")
    run = train(TrainRequest("amfm(am=lsi(k=2))", (str(tmp_path / "talk.txt"),), output=str(tmp_path / "amfm"))).run
    with pytest.raises(SpecError, match="holds amfm, which does not learn from ratings"):
        trained(tmp_path, rated, run)
    space = train(TrainRequest("lsi(k=2)", (str(tmp_path / "talk.txt"),), output=str(tmp_path / "lsi"))).run
    with pytest.raises(SpecError, match="kind encoder; wanted here is one of the kind metric"):
        trained(tmp_path, rated, space)


def test_a_judge_may_be_wary_of_what_it_scores(rated, tmp_path, monkeypatch, caplog):
    monkeypatch.setattr(plain.Plain, "caution", lambda self, corpus: f"{len(corpus)} strangers", raising=False)
    run = trained(tmp_path, rated).run
    caplog.clear()
    request = ScoreRequest((rated,), (run, "length"), output=str(tmp_path / "score"))
    for reprinted in (False, True):
        caplog.clear()
        report = score(request)
        said = [record.getMessage() for record in caplog.records]
        assert said[-1] == f"{run}: 60 strangers"
        assert [line.startswith("reprinted from") for line in said[:-1]] == [True] * reprinted
    assert "strangers" not in json.dumps(report.to_json())


def test_judges_that_the_judge_wants_beside_it(rated, tmp_path, monkeypatch):
    monkeypatch.setattr(plain.Plain, "beside", ("plain(ridge=3.0)", "plain(ridge=1)", "cheet"))
    found = trained(tmp_path, rated).judge
    assert list(found.judges) == ["plain(ridge=3.0)"]  # not itself
    assert any("no metric named 'cheet'" in words for words in found.left_out_metrics)


def test_too_little_for_a_share_is_no_error(rated, tmp_path, monkeypatch):
    learn = plain.Plain.fit

    def fit(self, corpus, target, **options):
        if len(target) < 15:
            raise NeedsError("plain wants 15 rows", "more")
        return learn(self, corpus, target, **options)

    monkeypatch.setattr(plain.Plain, "fit", fit)
    found = trained(tmp_path, rated, quick=False).judge
    assert found.unfitted == ["plain wants 15 rows"]
    assert found.amounts.shares[0].spearman is None
    assert found.amounts.shares[-1].repeats == 1


@pytest.fixture
def catalogue(monkeypatch):
    """The judges that everybody has."""
    monkeypatch.undo()
    registry._menu.cache_clear()


def test_real_turns_without_the_ground_truth(shared_data, tmp_path, catalogue):
    path = str(shared_data("turns/zhao_dailydialog.jsonl.gz"))
    options = {"quality": "appropriateness", "folds": 10, "metrics": ("length",), "drop_references_equal": True}
    found = trained(tmp_path, path, "stack(features=length)", **options).judge
    assert found.left_out == {"items whose response is one of their own references": 100}
    assert (found.n, found.contexts, found.scale) == (800, 100, (1.0, 5.0))
    assert [fold.n for fold in found.folds.context.each] == [80] * 10
    halves = next(row for row in found.ceiling.rows if (row.level, row.kind) == ("item", "spearman"))
    assert found.folds.context.pooled.spearman.r < halves.r < halves.reach


def test_real_conversations_rated_as_a_whole(shared_data, tmp_path, catalogue):
    path = str(shared_data("dialogues/spot_the_bot_dailydialog.jsonl.gz"))
    options = {"quality": "fluency", "metrics": ("length",)}
    found = trained(tmp_path, path, "stack(features=length)", **options).judge
    assert found.unit == "dialogue"
    assert found.replies > 2 * found.n
    assert found.scale == (0.0, 1.0)
    assert found.folds.system.mae > 0
