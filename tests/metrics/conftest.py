"""The toy world of ``toy_talk`` in the catalogue, for tests that ask for it."""

import pytest

from dialometer.core import registry
from dialometer.core.catalog import CATALOG
from dialometer.core.registry import create
from tests.metrics import toy_talk


@pytest.fixture
def toy(monkeypatch, tmp_path):
    """A callable: name of a metric of conversations → that metric with the toy models."""
    for kind, place in toy_talk.CATALOGUE.items():
        monkeypatch.setitem(CATALOG[kind], "toy", place)
    registry._menu.cache_clear()
    vectors = tmp_path / "toy.txt"
    vectors.write_text(toy_talk.WORDS)
    yield lambda name: create("metric", f"{name}(emotion=toy,encoder=toy,vectors=glove(path={vectors}))")
    monkeypatch.undo()
    registry._menu.cache_clear()
