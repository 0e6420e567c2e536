"""Recall@k: how often the true reply is among the k best of a few candidates (Lowe et al. 2015, section 4.4)."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from dialometer.core.errors import NeedsError

CANDIDATES, KS = 10, (1, 2, 5)  # 1 in 10 R@1, 1 in 10 R@2, 1 in 10 R@5


def recall_at(scores: np.ndarray, truth: np.ndarray | int, ks: Sequence[int] = KS) -> dict[int, float]:
    """The mean over rows of (n, m) scores; ``truth`` is the column of the true reply. Equal scores share places evenly.

    >>> recall_at(np.array([[3.0, 1.0, 2.0], [1.0, 1.0, 0.0]]), 0, (1, 2))
    {1: 0.75, 2: 1.0}
    """
    rows = np.arange(len(scores))
    true = scores[rows, truth][:, None]
    better, tied = (scores > true).sum(axis=1), (scores == true).sum(axis=1)
    return {k: float(np.clip((k - better) / tied, 0.0, 1.0).mean()) if len(rows) else float("nan") for k in ks}


def candidates(replies: Sequence[int] | np.ndarray, *, size: int = CANDIDATES, seed: int = 0) -> np.ndarray:
    """(n, size) rows of replies: the own one first, then others with another text, drawn at random.

    ``replies`` numbers the text of each row. Where few texts differ, a row may be drawn twice.

    >>> candidates([7, 8, 7], size=2).tolist()
    [[0, 1], [1, 2], [2, 1]]
    """
    texts = np.asarray(replies)
    if len(np.unique(texts)) < 2:
        raise NeedsError("recall is measured among replies that differ, and these are all alike", "give more conversations")
    chosen = np.zeros((len(texts), size), np.int64)
    chosen[:, 0] = np.arange(len(texts))
    rng = np.random.default_rng([seed % (1 << 64), len(texts)])
    few = len(np.unique(texts)) <= size
    for i, text in enumerate(texts.tolist()):
        at = 1
        while at < size:
            row = int(rng.integers(len(texts)))
            if texts[row] != text and (few or row not in chosen[i, :at]):
                chosen[i, at] = row
                at += 1
    return chosen


def chance(size: int = CANDIDATES, ks: Sequence[int] = KS) -> dict[int, float]:
    """What guessing gives."""
    return {k: min(k / size, 1.0) for k in ks}
