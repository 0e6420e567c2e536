"""Metrics for tests of ``compare``: one that remembers what it was trained on, one that scores whole conversations."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from dialometer.core import registry
from dialometer.core.catalog import CATALOG
from dialometer.text.training_overlap import seen_texts


@dataclass(frozen=True)
class Knowing:
    """Letters of a reply; it says that it was trained on ``saw``, texts with bars between them."""

    saw: str = ""

    name: ClassVar[str] = "knowing"
    version: ClassVar[int] = 1
    unit: ClassVar[str] = "response"
    needs: ClassVar[frozenset[str]] = frozenset()
    columns: ClassVar[tuple[str, ...]] = ("letters",)

    def measure(self, corpus):
        return np.array([[1, len(corpus.texts[int(row)])] for row in corpus.response], float)

    def finish(self, totals, *, level):
        return totals[..., 1:] / totals[..., :1]

    def seen(self):
        return seen_texts(self.saw.split("|"))


@dataclass(frozen=True)
class Talkative:
    """Replies in a conversation: a row per document."""

    name: ClassVar[str] = "talkative"
    version: ClassVar[int] = 1
    unit: ClassVar[str] = "dialogue"
    needs: ClassVar[frozenset[str]] = frozenset()
    columns: ClassVar[tuple[str, ...]] = ("replies",)

    def measure(self, corpus):
        codes = corpus.document_codes(np.arange(len(corpus)))
        return np.stack([np.ones(codes.max() + 1), np.bincount(codes)], axis=1)

    def finish(self, totals, *, level):
        with np.errstate(invalid="ignore"):
            return totals[..., 1:] / totals[..., :1]


MADE = {"knowing": "tests.flows.knowing:Knowing", "talkative": "tests.flows.knowing:Talkative"}


def register() -> None:
    """Into the catalogue of this process."""
    CATALOG["metric"].update(MADE)
    registry._menu.cache_clear()


def unregister() -> None:
    """Out of it again."""
    for name in MADE:
        CATALOG["metric"].pop(name, None)
    registry._menu.cache_clear()
