"""Several rated files: one quality, under the name that each file has for it, said before anything is fitted."""

import pytest

from dialometer.contracts.train import TrainRequest
from dialometer.core import registry
from dialometer.core.errors import DataError, UsageError
from dialometer.flows.train.train import train
from tests.flows.rated import rated_rows, write_rows
from tests.flows.train_judge import plain

QUICK = {"metrics": ("rouge",), "quick": True, "folds": 4, "drop_references_equal": False}


@pytest.fixture(autouse=True)
def judges(monkeypatch):
    plain.register(monkeypatch)
    yield
    registry._menu.cache_clear()


def renamed(quality, mark, **options):
    """Rated rows with one quality under another name, and ids and contexts of their own."""
    return [
        row
        | {"id": f"{mark}-{row['id']}", "context_id": f"{mark}-{row['context_id']}"}
        | {"ratings": {quality: row["ratings"]["overall"]}}
        for row in rated_rows(**options)
    ]


@pytest.fixture
def files(tmp_path):
    """Two files of 60 items: the first calls the quality Overall, the second coherence."""
    return tuple(
        write_rows(tmp_path / f"{mark}.jsonl", renamed(quality, mark, seed=seed))
        for seed, (mark, quality) in enumerate((("a", "Overall"), ("b", "coherence")))
    )


def fitted(tmp_path, files, quality, **options):
    said = []
    request = TrainRequest("plain", files, quality=quality, output=str(tmp_path / "run"), **{**QUICK, **options})
    return train(request, notify=said.append).to_json(), said


def test_files_that_name_the_quality_differently_are_refused(tmp_path, files):
    with pytest.raises(DataError) as error:
        fitted(tmp_path, files, "Overall")
    assert "b.jsonl" in str(error.value)
    assert "no item has a rating of Overall" in str(error.value)
    assert "its qualities are coherence" in str(error.value)
    assert error.value.hint.startswith("-q Overall=coherence")
    assert not (tmp_path / "run" / "model").exists()


def test_several_names_are_learnt_as_one(tmp_path, files):
    found, said = fitted(tmp_path, files, "overall=Overall,coherence")
    assert (found["n"], found["quality"]) == (120, "overall")
    assert [line.split(": ")[1] for line in said] == [
        "60 items, 60 of them with a rating of Overall", "60 items, 60 of them with a rating of coherence",
    ]  # fmt: skip
    assert [(one["quality"], one["rated"]) for one in found["files"]] == [("Overall", 60), ("coherence", 60)]


def test_the_first_name_that_a_file_has_counts(tmp_path):
    rows = [row | {"id": f"a-{row['id']}"} for row in rated_rows()]
    path = write_rows(tmp_path / "a.jsonl", rows)
    found, _ = fitted(tmp_path, (path,), "good=fluent,overall")
    alone = train(TrainRequest("plain", (path,), quality="fluent", output=str(tmp_path / "alone"), **QUICK)).to_json()
    assert found["folds"]["context"]["pooled"] == alone["folds"]["context"]["pooled"]


@pytest.mark.parametrize("text", ["=Overall", "overall=", "overall=,", "overall=Overall,"])
def test_a_list_of_names_that_is_none_is_refused(tmp_path, files, text):
    with pytest.raises(UsageError, match="a quality is a name"):
        fitted(tmp_path, files, text)
