"""The judgements of each item, split at random into two halves, again and again."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from dialometer.core.types import Ratings
from dialometer.stats.agreement.rater_rows import runs


@dataclass(frozen=True)
class Halves:
    """The judgements of items that have two or more, those with equally many in one matrix."""

    items: np.ndarray
    sizes: np.ndarray
    groups: tuple[tuple[np.ndarray, np.ndarray], ...]  # places among the items; (items, judgements)

    @classmethod
    def of(cls, ratings: Ratings) -> Halves:
        """Sort the judgements by item."""
        order = np.argsort(ratings.item, kind="stable")
        item, value = ratings.item[order], ratings.value[order]
        starts = runs(item)
        sizes = np.diff(np.append(starts, len(item)))
        starts, sizes = starts[sizes > 1], sizes[sizes > 1]
        groups = []
        for size in np.unique(sizes).tolist():
            places = np.flatnonzero(sizes == size)
            groups.append((places, value[starts[places][:, None] + np.arange(size)]))
        return cls(item[starts], sizes, tuple(groups))

    def split(self, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
        """Means of two random halves of each item's judgements; of an odd number the first half has the smaller part."""
        first, second = np.empty((2, len(self.items)))
        for places, values in self.groups:
            mixed = rng.permuted(values, axis=1)
            cut = values.shape[1] // 2
            first[places], second[places] = mixed[:, :cut].mean(axis=1), mixed[:, cut:].mean(axis=1)
        return first, second
