"""Exclusion of a test item's target from a retrieval pool, so that test items do not leak into the index (Liu et al. 2016, 4.1).

The paper removes one occurrence of the item's true reply from the corpus; the same text elsewhere stays. Where the true reply is
known, that occurrence is an entry with this reply whose context equals the item's as far back as both go (an item may come with its
last turns alone); of several, the one with the longest common context, then one with identical spelling, then the first. From a
context alone it cannot be determined: each entry with exactly this context may be the target, so all of them are excluded; their
texts stay where they occur elsewhere. ``strict`` also excludes every other occurrence of the true reply, or of any reply to this
context.

Texts are compared by letters and digits alone (``text.training_overlap``): files of the same dialogues differ in tokenisation.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from dialometer.bots._retrieval.pool import ResponsePool
from dialometer.text.corpus import Rows
from dialometer.text.texts import Texts
from dialometer.text.training_overlap import text_hashes

EXCLUSIONS = {
    "drop": "the item's occurrence is excluded",
    "keep": "nothing is excluded",
    "strict": "every occurrence of the item's reply is excluded",
}
PRIME = np.uint64(0x9E3779B97F4A7C15)


@dataclass(frozen=True, eq=False)
class TargetExclusion:
    """An index of a pool by contexts (the last ``turns`` turns) and replies, to find the entries of test items."""

    pool: ResponsePool
    turns: int

    @cached_property
    def _contexts(self) -> Rows:
        return self.pool.contexts(self.turns)

    @cached_property
    def _by_context(self) -> tuple[np.ndarray, np.ndarray]:
        """Keys of contexts, sorted, and their entries."""
        return _sorted(_keys(self.pool.hashes[self._contexts.rows], self._contexts.starts))

    @cached_property
    def _by_reply(self) -> tuple[np.ndarray, np.ndarray]:
        """Hashes of replies, sorted, and their entries."""
        return _sorted(self.pool.hashes[self.pool.replies])

    def excluded(self, how: str, texts: Texts, contexts: Rows, truths: Sequence[str] | None = None) -> Rows:
        """The entries that are excluded for each context; ``contexts`` are rows of ``texts``."""
        n = len(contexts.starts) - 1
        if how == "keep":
            return Rows.of([()] * n)
        hashes = text_hashes(texts)[contexts.rows]
        wanted = None if truths is None else text_hashes(truths)
        same = _equal(self._by_context, _keys(hashes, contexts.starts))
        excluded = []
        for i, entries in enumerate(same):
            if truths is not None and wanted is not None:
                occurrences = _equal(self._by_reply, wanted[i : i + 1])[0]
                if how == "drop":
                    excluded.append(
                        self._longest(hashes[contexts.starts[i] : contexts.starts[i + 1]], occurrences, truths[i])
                    )
                    continue
            else:
                followers = np.unique(self.pool.hashes[self.pool.replies[entries]])
                occurrences = np.concatenate([[], *_equal(self._by_reply, followers)]).astype(np.int64)
            excluded.append(np.union1d(entries, occurrences).tolist() if how == "strict" else entries.tolist())
        return Rows.of(excluded)

    def _longest(self, context: np.ndarray, entries: np.ndarray, truth: str) -> list[int]:
        """The entry whose context agrees with this one as far back as both go, and for longest."""
        pool, starts, rows = self.pool, self._contexts.starts, self._contexts.rows
        best, target = (0, False, False), list[int]()
        for entry in entries.tolist():
            other = pool.hashes[rows[starts[entry] : starts[entry + 1]]]
            both = min(len(context), len(other))
            agreed = (both, len(context) == len(other), pool.texts[int(pool.replies[entry])] == truth)
            if both and agreed > best and (other[len(other) - both :] == context[len(context) - both :]).all():
                best, target = agreed, [entry]
        return target


def _keys(hashes: np.ndarray, starts: np.ndarray) -> np.ndarray:
    """A 64-bit key of each row of hashes: the same for the same texts in the same order."""
    lengths = np.diff(starts)
    keys = lengths.astype(np.uint64)
    for back in range(int(lengths.max(initial=0))):
        rows = np.flatnonzero(lengths > back)
        keys[rows] = keys[rows] * PRIME + hashes[starts[1:][rows] - 1 - back]  # wraps around, as it should
    return keys


def _sorted(keys: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    order = np.argsort(keys, kind="stable")
    return keys[order], order


def _equal(index: tuple[np.ndarray, np.ndarray], keys: np.ndarray) -> list[np.ndarray]:
    """The entries under each key, in their order."""
    low, high = (np.searchsorted(index[0], keys, side) for side in ("left", "right"))
    return [index[1][a:b] for a, b in zip(low.tolist(), high.tolist(), strict=True)]
