"""Rated items to tune on: those with a reference and a rating, their units, and folds that keep documents or systems whole."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from dialometer.core.errors import NeedsError, UnknownName
from dialometer.core.types import Example
from dialometer.data import examples
from dialometer.flows.tune.grid_search import by_unit
from dialometer.stats.validation.folds import fold_numbers
from dialometer.text.corpus import Corpus


@dataclass(frozen=True)
class Rated:
    """Rated items: the corpus, each item's unit (itself, or its system), and the mean rating and fold of each unit."""

    items: Sequence[Example]
    corpus: Corpus
    quality: str
    level: str
    units: np.ndarray
    target: np.ndarray
    folds: np.ndarray
    left_out: int  # rated items without a reference

    def ratings(self, row: int) -> list[float]:
        """What people gave one item."""
        return _ratings_of(self.items[row], self.quality)


def _ratings_of(item: Example, quality: str) -> list[float]:
    """The ratings that people gave an item, without those they declined to give."""
    return [float(value) for value in item.ratings.get(quality, ()) if value is not None]


def read_rated(
    paths: Sequence[str], quality: str, *, level: str, folds: int, seed: int, format: str, max_line: int
) -> Rated:
    """Items with a reference and a rating of this quality; folds keep documents (or systems) together."""
    items = list(examples(paths, format=format or None, max_line=max_line))
    known = {name for item in items for name in item.ratings}
    if quality not in known:
        raise UnknownName("quality", quality, known, hint=f"-q one of the qualities of {paths[0]}")
    usable = [item for item in items if item.references and _ratings_of(item, quality)]
    if not usable:
        raise NeedsError(f"no item of {paths[0]} has a reference and a rating of {quality}", "another file, or another -q")
    left_out = sum(bool(_ratings_of(item, quality)) for item in items) - len(usable)
    corpus = Corpus.build(usable)
    means = np.array([np.mean(_ratings_of(item, quality)) for item in usable])
    if level == "item":
        documents = fold_numbers([item.document for item in usable], folds, seed)
        return Rated(usable, corpus, quality, level, np.arange(len(usable)), means, documents, left_out)
    names = sorted({item.system for item in usable})
    units = np.array([names.index(item.system) for item in usable])
    systems = fold_numbers(names, min(folds, len(names)), seed)
    return Rated(usable, corpus, quality, level, units, by_unit(means, units), systems, left_out)
