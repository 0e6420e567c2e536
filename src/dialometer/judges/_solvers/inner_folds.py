"""Folds inside a training set, for what a judge chooses by itself; a document is never on both sides."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from dialometer.core.seeds import derived


def inner_folds(documents: Sequence[str], folds: int = 5, seed: int = 0) -> np.ndarray:
    """A fold for each row, the same for all rows of a document; as many folds as documents where those are fewer.

    >>> numbers = inner_folds(["a", "b", "a", "c"], 2)
    >>> bool(numbers[0] == numbers[2]), sorted(set(numbers.tolist()))
    (True, [0, 1])
    """
    order = sorted(set(documents), key=lambda name: derived(seed, "inner fold", name))
    number = {name: place % folds for place, name in enumerate(order)}
    return np.fromiter((number[name] for name in documents), np.int64, len(documents))


def train_test_splits(numbers: np.ndarray) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """The rows to learn from and the rows to try on, for each fold in turn.

    >>> [(learn.tolist(), test.tolist()) for learn, test in train_test_splits(np.array([0, 1, 0]))]
    [([1], [0, 2]), ([0, 2], [1])]
    """
    for fold in np.unique(numbers):
        yield np.flatnonzero(numbers != fold), np.flatnonzero(numbers == fold)
