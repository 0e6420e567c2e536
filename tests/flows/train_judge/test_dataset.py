"""Rated items as a judge sees them: who takes part, with what number, and whose replies are whose."""

import numpy as np
import pytest

from dialometer.contracts.train import TrainRequest
from dialometer.core.errors import DataError, NeedsError, UnknownName, UsageError
from dialometer.core.registry import create
from dialometer.flows.train_judge.dataset import read_dataset
from tests.flows.rated import rated_rows, write_rows


def test_targets_are_the_means_of_the_ratings_by_id(dataset):
    rows = rated_rows()
    found = dataset(rows[::-1])
    expected = {row["id"]: np.mean(row["ratings"]["overall"]) for row in rows}
    assert [item.id for item in found.rated.items] == sorted(expected)
    assert found.target.tolist() == [expected[item.id] for item in found.rated.items]
    assert found.owner.tolist() == list(range(len(rows)))
    assert found.scale == (1.0, 5.0)
    assert not found.left_out


def test_what_stays_out_is_counted(dataset):
    rows = rated_rows()
    rows[0] |= {"response": f"  {rows[0]['references'][0]} ", "ratings": rows[0]["ratings"]}
    rows[1]["ratings"] = {"fluent": [1, 2, 3, 4]}
    rows[2]["references"] = []
    found = dataset(rows, drop_references_equal=True)
    copies = sum(row["response"].split() == row["references"][0].split() for row in rows if row["references"])
    assert found.left_out == {
        "items without a rating of overall": 1,
        "items whose response is one of their own references": copies,
        "items without a reference, which plain needs": 1,
    }
    assert len(found) == len(rows) - 2 - copies
    assert len(dataset(rows)) == len(rows) - 2


def test_median_and_mace(dataset):
    rows = rated_rows()
    by_id = {row["id"]: row["ratings"]["overall"] for row in rows}
    found = dataset(rows, aggregate="median")
    assert found.target.tolist() == [np.median(by_id[item.id]) for item in found.rated.items]
    labels = dataset(rows, aggregate="mace").target
    assert set(labels.tolist()) <= {1.0, 2.0, 3.0, 4.0, 5.0}
    for row in rows:
        row["raters"] = []
    with pytest.raises(NeedsError, match="MACE needs to know who judged") as refused:
        dataset(rows, aggregate="mace")
    assert refused.value.hint == "--aggregate mean, or median"


def dialogue(number, system, rating):
    turns = [{"speaker": "user", "text": "hi"}, {"speaker": "bot", "text": "tea"}, {"speaker": "user", "text": "why ?"}]
    turns.append({"speaker": "bot", "text": f"tea number {number}"})
    ratings = {"overall": [rating, rating + 1]}
    return {"id": f"d{number:02d}", "system": system, "turns": turns, "ratings": ratings, "raters": ["r1", "r2"]}


def test_the_rating_of_a_dialogue_is_that_of_its_replies(dataset):
    found = dataset([dialogue(number, f"s{number % 2}", number % 4) for number in range(8)], judge="cheat")
    assert found.rated.unit == "dialogue"
    assert len(found) == 8
    assert found.owner.tolist() == [number for number in range(8) for _ in range(2)]
    assert found.replies(np.array([2, 0])).tolist() == [0, 1, 4, 5]
    values = np.array([1.0, 3.0, np.nan, 5.0])
    by_item = found.by_item(values, np.array([0, 1, 4, 5]))
    assert by_item[[0, 2]].tolist() == [2.0, 5.0]
    assert np.isnan(by_item[[1, 3, 4, 5, 6, 7]]).all()


@pytest.mark.parametrize(
    ("change", "error", "says"),
    [
        (lambda row: row.update(ratings={}), NeedsError, "holds no ratings"),
        (lambda row: row["ratings"].update(overall=[3, 3, 3, 3]), NeedsError, "the same rating of overall"),
        (
            lambda row: row.update(references=[]),
            NeedsError,
            r"plain needs a reference, and none of 60 rated items has one: .*rated.jsonl \(first: c0-s0\)",
        ),
        (lambda row: row["ratings"].pop("overall"), UnknownName, "no quality named 'overall'"),
    ],
)
def test_refusals(dataset, change, error, says):
    rows = rated_rows()
    for row in rows:
        change(row)
    with pytest.raises(error, match=says) as refused:
        dataset(rows)
    assert refused.value.hint


def test_a_rating_outside_the_scale_names_file_and_item(dataset):
    rows = rated_rows()
    rows[7]["ratings"]["overall"][2] = 9
    with pytest.raises(DataError, match=r"rated.jsonl \(c1-s2\): a rating of 9 is outside the scale 1…5"):
        dataset(rows, scale="1,5")
    assert dataset(rows, scale="0,10").scale == (0.0, 10.0)
    rows[7]["ratings"] = {"overall": [1, 2, 3, 4], "fluent": [0, 0, 0, 9]}  # which has a scale of its own
    assert dataset(rows, scale="1,5").scale == (1.0, 5.0)


def test_of_several_files_the_right_one_is_named(tmp_path):
    rows = rated_rows()
    rows[7]["ratings"]["overall"][2] = 9
    paths = tuple(
        write_rows(tmp_path / f"{name}.jsonl", part) for name, part in (("a", rows[:5]), ("b", rows[5:9]), ("c", rows[9:]))
    )
    with pytest.raises(DataError, match=r"b.jsonl \(c1-s2\): a rating of 9"):
        read_dataset(TrainRequest("plain", paths, quality="overall", scale="1,5"), create("judge", "plain"))


def test_one_of_several_qualities_must_be_named(dataset):
    with pytest.raises(UsageError, match="ratings of 2 qualities") as refused:
        dataset(quality="")
    assert refused.value.hint == "-q one of: overall, fluent"


def test_who_wrote_it_is_a_label_too(dataset):
    rows = rated_rows()
    for row in rows:
        row.pop("ratings")
    found = dataset(rows, quality="", human=("s4",), drop_references_equal=True)
    assert found.quality == "human"
    assert found.target.tolist() == [float(item.system == "s4") for item in found.rated.items]
    with pytest.raises(UnknownName, match="no system named 's9'"):
        dataset(rows, quality="", human=("s9",))
