"""Which rows train together: batches of similar length, in an order that seed and epoch decide.

Sequences of symbols lie end to end in one array: row i is ``flat[starts[i]:starts[i+1]]``.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

WORD = 1 << 64  # seeds may be negative; numpy's may not
POOL = 64  # batches whose rows are sorted by length together: long enough to waste little, short enough to keep chance


def bucketed(lengths: np.ndarray, size: int, *, seed: int, epoch: int) -> list[np.ndarray]:
    """All rows once, in batches of ``size`` rows of similar length; the batches in random order.

    >>> [sorted(batch.tolist()) for batch in bucketed(np.array([9, 1, 9, 1]), 2, seed=0, epoch=0)]
    [[0, 2], [1, 3]]
    """
    rng = np.random.default_rng([seed % WORD, epoch])
    order = rng.permutation(len(lengths))
    batches = []
    for start in range(0, len(order), size * POOL):
        pool = order[start : start + size * POOL]
        pool = pool[np.argsort(lengths[pool], kind="stable")]
        batches += [pool[at : at + size] for at in range(0, len(pool), size)]
    return [batches[i] for i in rng.permutation(len(batches))]


def whole_talks(talk: np.ndarray, size: int, *, seed: int, epoch: int) -> list[np.ndarray]:
    """All rows once, in batches of whole conversations that hold about ``size`` rows; ``talk`` is sorted.

    >>> [batch.tolist() for batch in whole_talks(np.array([0, 0, 1, 2, 2]), 3, seed=0, epoch=0)]
    [[3, 4, 0, 1], [2]]
    """
    numbers, counts = np.unique(talk, return_counts=True)
    order = np.random.default_rng([seed % WORD, epoch]).permutation(len(numbers))
    starts = np.cumsum(counts) - counts
    batch = (np.cumsum(counts[order]) - counts[order]) // size
    rows = [np.arange(starts[i], starts[i] + counts[i]) for i in order.tolist()]
    return [np.concatenate([rows[i] for i in np.flatnonzero(batch == number)]) for number in np.unique(batch)]


def padded(flat: np.ndarray, starts: np.ndarray, rows: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Some rows as a matrix filled up with zeros, and their lengths.

    >>> padded(np.array([5, 6, 7]), np.array([0, 1, 3]), np.array([1, 0]))[0].tolist()
    [[6, 7], [5, 0]]
    """
    lengths = starts[rows + 1] - starts[rows]
    real = np.arange(int(lengths.max(initial=0))) < lengths[:, None]
    matrix = np.zeros(real.shape, np.int64)
    matrix[real] = flat[(starts[rows][:, None] + np.arange(real.shape[1]))[real]]
    return matrix, lengths


def shortened(flat: np.ndarray, starts: np.ndarray, limit: int) -> tuple[np.ndarray, np.ndarray]:
    """Every row cut to its first ``limit`` symbols.

    >>> [array.tolist() for array in shortened(np.array([5, 6, 7]), np.array([0, 1, 3]), 1)]
    [[5, 6], [0, 1, 2]]
    """
    lengths = np.diff(starts)
    kept = np.arange(len(flat)) - np.repeat(starts[:-1], lengths) < limit
    return flat[kept], np.concatenate([[0], np.cumsum(np.minimum(lengths, limit))])


@dataclass(frozen=True, eq=False)
class Neighbours:
    """The utterances of all conversations in a row, with the one before and the one after each, or −1."""

    texts: list[str]
    before: np.ndarray
    after: np.ndarray
    talk: np.ndarray

    @classmethod
    def of(cls, talks: Sequence[Sequence[str]]) -> Neighbours:
        """Join conversations.

        >>> n = Neighbours.of([["hi", "hello", "tea?"], ["alone"]])
        >>> n.before.tolist(), n.after.tolist()
        ([-1, 0, 1, -1], [1, 2, -1, -1])
        """
        texts = [text for talk in talks for text in talk]
        talk = np.repeat(np.arange(len(talks)), [len(talk) for talk in talks])
        row = np.arange(len(texts))
        same = np.concatenate([[False], talk[1:] == talk[:-1], [False]]) if len(texts) else np.zeros(1, bool)
        return cls(texts, np.where(same[:-1], row - 1, -1), np.where(same[1:], row + 1, -1), talk)


def held_out(talk: np.ndarray, seed: int, share: float = 0.05) -> np.ndarray:
    """Which rows are kept for validation (n bool): those of a twentieth of the conversations, none of fewer than 20."""
    talks = np.unique(talk)
    chosen = np.random.default_rng([seed % WORD, len(talks)]).permutation(len(talks))[: int(len(talks) * share)]
    return np.isin(talk, talks[chosen])


def pieces(talk: np.ndarray, size: int) -> np.ndarray:
    """A number for each stretch of at most ``size`` rows of one conversation; ``talk`` is sorted.

    >>> pieces(np.array([0, 0, 0, 2]), 2).tolist()
    [0, 0, 1, 2]
    """
    _, starts, counts = np.unique(talk, return_index=True, return_counts=True)
    stretch = (np.arange(len(talk)) - np.repeat(starts, counts)) // size
    new = (
        np.concatenate([[True], (talk[1:] != talk[:-1]) | (stretch[1:] != stretch[:-1])])
        if len(talk)
        else np.zeros(0, bool)
    )
    return np.cumsum(new) - 1
