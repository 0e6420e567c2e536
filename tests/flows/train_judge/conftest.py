"""A dataset of small rated items for the steps of training a judge."""

import pytest

from dialometer.contracts.train import TrainRequest
from dialometer.core import registry
from dialometer.core.registry import create
from dialometer.flows.train_judge.dataset import read_dataset
from tests.flows.rated import rated_rows, write_rows
from tests.flows.train_judge import plain


@pytest.fixture(autouse=True)
def judges(monkeypatch):
    """The small judges, on the menu."""
    plain.register(monkeypatch)
    yield
    registry._menu.cache_clear()


@pytest.fixture
def dataset(tmp_path):
    """A callable: rows (those of ``rated_rows`` unless given) and options → a dataset."""

    def opened(rows=None, judge="plain", **options):
        path = write_rows(tmp_path / "rated.jsonl", rows or rated_rows())
        request = TrainRequest(judge, (path,), **{"quality": "overall", "drop_references_equal": False, **options})
        return read_dataset(request, create("judge", judge))

    return opened
