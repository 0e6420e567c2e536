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
    units: np.ndarray
    target: np.ndarray
    folds: np.ndarray
    left_out: int  # rated items without a reference

    def ratings(self, row: int) -> list[float]:
        """What people gave one item."""
        return _given(self.items[row], self.quality)


def _given(item: Example, quality: str) -> list[float]:
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
    kept = [item for item in items if item.references and _given(item, quality)]
    if not kept:
        raise NeedsError(f"no item of {paths[0]} has a reference and a rating of {quality}", "another file, or another -q")
    left_out = sum(bool(_given(item, quality)) for item in items) - len(kept)
    corpus = Corpus.build(kept)
    means = np.array([np.mean(_given(item, quality)) for item in kept])
    if level == "item":
        documents = fold_numbers([item.document for item in kept], folds, seed)
        return Rated(kept, corpus, quality, np.arange(len(kept)), means, documents, left_out)
    names = sorted({item.system for item in kept})
    units = np.array([names.index(item.system) for item in kept])
    systems = fold_numbers(names, min(folds, len(names)), seed)
    return Rated(kept, corpus, quality, units, by_unit(means, units), systems, left_out)
