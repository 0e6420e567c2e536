"""A bench of small rated items for the steps of training a judge."""

import pytest

from dialometer import registry
from dialometer.flows.judging.bench import open_bench
from dialometer.flows.train import TrainRequest
from dialometer.registry import create
from tests.flows.judging import plain
from tests.flows.rated import rated_rows, write_rows


@pytest.fixture(autouse=True)
def judges(monkeypatch):
    """The small judges, on the menu."""
    plain.register(monkeypatch)
    yield
    registry._menu.cache_clear()


@pytest.fixture
def bench(tmp_path):
    """A callable: rows (those of ``rated_rows`` unless given) and options → a bench."""

    def opened(rows=None, judge="plain", **options):
        path = write_rows(tmp_path / "rated.jsonl", rows or rated_rows())
        request = TrainRequest(judge, (path,), **{"quality": "overall", "drop_references_equal": False, **options})
        return open_bench(request, create("judge", judge))

    return opened
