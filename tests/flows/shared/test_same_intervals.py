"""One quantity, one interval: the mean of a system in score, compare and meta; Krippendorff's α in agree, meta and compare."""

import numpy as np
import pytest

from dialometer.contracts.agree import AgreeRequest
from dialometer.contracts.compare import CompareRequest
from dialometer.contracts.meta import MetaRequest
from dialometer.contracts.score import ScoreRequest
from dialometer.flows.agree.agree import agree
from dialometer.flows.compare.compare import compare
from dialometer.flows.meta.meta import meta
from dialometer.flows.score.score import score
from tests.flows.rated import rated_rows, write_rows

DRAWS = {"resamples": 200}


def rows(contexts=25):
    """Responses of three systems; some have no reference, so that words-difference lacks numbers."""
    made = rated_rows(contexts=contexts, systems=3)
    for row in made[::4]:
        row["references"] = []
    return made


@pytest.fixture(scope="module")
def found(tmp_path_factory):
    """What the three commands say of the same file."""
    folder = tmp_path_factory.mktemp("same")
    path = write_rows(folder / "rated.jsonl", rows())
    lengths = ("length", "distinct(sample=20)")
    scored = score(
        ScoreRequest(
            (path,), lengths, output=str(folder / "score"), allow_empty_references=True, skip_incomplete=True, **DRAWS
        )
    )
    compared = compare(CompareRequest((path,), metrics=lengths, permutations=50, output=str(folder / "compare"), **DRAWS))
    validated = meta(MetaRequest((path,), lengths, permutations=20, output=str(folder / "meta"), **DRAWS))
    return scored, compared.results, validated.to_json()


@pytest.mark.parametrize("column", ["words", "chars", "words-difference", "distinct-1", "distinct-2"])
def test_score_and_compare_give_a_system_the_same_interval(found, column):
    scored, compared, _ = found
    for system, cells in scored.cells.items():
        own = compared["systems"][system]["columns"][column]
        wanted = (cells[column].mean, cells[column].low, cells[column].high)
        assert (own["mean"], own["low"], own["high"]) == pytest.approx(wanted, abs=1e-9)
        assert wanted[1] < wanted[0] < wanted[2]


@pytest.mark.parametrize("column", ["words", "chars", "words-difference"])
def test_score_and_meta_give_a_system_the_same_interval(found, column):
    scored, _, validated = found
    for system, cells in scored.cells.items():
        own = validated["means"][column][system]
        assert (own["mean"], *own["95"]) == pytest.approx(
            (cells[column].mean, cells[column].low, cells[column].high), abs=1e-9
        )
        assert own["95"][0] <= own["90"][0] < own["mean"] < own["90"][1] <= own["95"][1]


def test_two_runs_of_score_keep_their_intervals_in_compare(tmp_path):
    """Two files whose systems have no name: compare calls them by their files, and draws what score drew."""
    reports = {}
    for name, seed in (("one", 1), ("two", 2)):
        made = [{**row, "system": ""} for row in rated_rows(contexts=20, systems=1, seed=seed)]
        path = write_rows(tmp_path / f"{name}.jsonl", made)
        reports[name] = score(ScoreRequest((path,), ("length",), output=str(tmp_path / name), **DRAWS))
    request = CompareRequest(tuple(report.run for report in reports.values()), output=str(tmp_path / "both"), **DRAWS)
    systems = compare(request).results["systems"]
    assert set(systems) == set(reports)
    for name, report in reports.items():
        cell, own = report.cells[""]["words"], systems[name]["columns"]["words"]
        assert (own["mean"], own["low"], own["high"]) == pytest.approx((cell.mean, cell.low, cell.high), abs=1e-12)


def test_conversations_that_share_nothing_have_the_same_interval(tmp_path):
    """As many replies in each: the mean over conversations is the mean over replies."""
    rng = np.random.default_rng(4)
    turns = lambda: [{"speaker": who, "text": " ".join(["tea"] * int(rng.integers(1, 9)))} for who in ("user", "bot") * 2]  # noqa: E731
    made = [{"id": f"{system}-{number}", "system": system, "turns": turns()} for system in "ab" for number in range(15)]
    path = write_rows(tmp_path / "talks.jsonl", made)
    scored = score(ScoreRequest((path,), ("length",), output=str(tmp_path / "score"), **DRAWS))
    compared = compare(CompareRequest((path,), metrics=("length",), output=str(tmp_path / "compare"), **DRAWS)).results
    for system in "ab":
        cell, own = scored.cells[system]["words"], compared["systems"][system]["columns"]["words"]
        assert (own["mean"], own["low"], own["high"]) == pytest.approx((cell.mean, cell.low, cell.high), abs=1e-12)


@pytest.mark.parametrize("where", [(), ("system!=s0",)])
def test_agree_and_meta_give_alpha_the_same_interval(tmp_path, where):
    path = write_rows(tmp_path / "rated.jsonl", rows())
    asked = {"where": where, "quality": ("overall",), **DRAWS}
    agreed = agree(AgreeRequest((path,), output=str(tmp_path / "agree"), **asked)).qualities["overall"]
    validated = meta(MetaRequest((path,), ("length",), permutations=20, output=str(tmp_path / "meta"), **asked))
    assert validated.agreement.qualities["overall"] == agreed
    assert agreed.alpha.low < agreed.alpha.value < agreed.alpha.high


def test_a_table_alone_says_that_items_are_resampled(tmp_path):
    """Only the items' file names contexts: with it agree draws what meta draws, without it agree says what it drew."""
    made = rated_rows(contexts=15)
    items = write_rows(
        tmp_path / "items.jsonl", [{k: v for k, v in row.items() if k not in ("ratings", "raters")} for row in made]
    )
    lines = [
        f"{row['id']},{rater},overall,{value}"
        for row in made
        for rater, value in zip(row["raters"], row["ratings"]["overall"], strict=True)
    ]
    table = tmp_path / "judgements.csv"
    table.write_text("\n".join(["item,rater,quality,value", *lines]))
    alone = agree(AgreeRequest((str(table),), output=str(tmp_path / "alone"), **DRAWS))
    beside = agree(AgreeRequest((items,), ratings=str(table), output=str(tmp_path / "beside"), **DRAWS))
    request = MetaRequest(
        (items,), ("length",), ratings=str(table), permutations=20, output=str(tmp_path / "meta"), **DRAWS
    )
    assert meta(request).agreement.qualities["overall"] == beside.qualities["overall"]
    assert any("resample items" in sentence for sentence in alone.summary)
    assert not any("resample items" in sentence for sentence in beside.summary)
