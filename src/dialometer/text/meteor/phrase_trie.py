"""A trie of phrases that grows as blocks of text arrive: memory is bounded by its words and nodes, not by the text."""

from __future__ import annotations

import numpy as np

from dialometer.kernels.jit import run
from dialometer.kernels.phrase_trie import LETTERS, NODES, SHIFT, WORDS, add_lines, refill_nodes, refill_words

LEAST = 64  # slots of a table


class PhraseTrie:
    """Entries of three lines (a number, a phrase, another phrase): their words, their nodes, and the two nodes of each.

    ``size`` is about how many bytes of text there will be: tables begin at what that much of a paraphrase table fills, and where
    it is worth it, kernels are compiled.
    """

    def __init__(self, size: int) -> None:
        self._steps = size
        self._state = np.zeros(4, np.int64)
        self._word_slots, self._word_starts, self._letters = (
            _empty(_power(size // 1024)),
            np.zeros(1, np.int64),
            np.zeros(0, np.uint8),
        )
        self._node_slots, self._node_keys, self._depths = (
            np.zeros(2 * _power(size // 64), np.int64),
            np.zeros(1, np.int64),
            _empty(1),
        )
        self._nodes: list[np.ndarray] = []

    def add(self, block: bytes) -> None:
        """Add the phrases of whole lines."""
        text = np.frombuffer(block, np.uint8)
        self._make_room(len(text) // 2 + 1, len(text) + 1)
        nodes = _empty(block.count(b"\n"))
        phrases = run(
            add_lines, text, self._state, self._word_slots, self._word_starts, self._letters, self._node_slots,
            self._node_keys, self._depths, nodes, steps=self._steps, alone=True,
        )  # fmt: skip
        self._nodes.append(nodes[:phrases].copy())

    def words(self) -> np.ndarray:
        """The spellings in the order of first appearance, with a line feed between them."""
        return self._letters[: max(int(self._state[LETTERS]) - 1, 0)].copy()

    def number(self) -> tuple[np.ndarray, np.ndarray]:
        """Nodes numbered level by level: the ascending keys (parent · words + word) of each level, and the node of every phrase.

        The trie is used up by this.
        """
        nodes, words = int(self._state[NODES]), int(self._state[WORDS])
        self._node_slots, self._word_slots = np.zeros(0, np.int64), _empty(0)
        final, keys = np.zeros(nodes + 1, np.int32), np.zeros(nodes, np.int64)
        by_depth = np.argsort(self._depths[1 : nodes + 1], kind="stable").astype(np.int32) + 1
        ends = np.cumsum(np.bincount(self._depths[1 : nodes + 1], minlength=1))
        for first, last in zip(ends[:-1].tolist(), ends[1:].tolist(), strict=True):
            level = by_depth[first:last]
            own = self._node_keys[level]
            own = final[own // SHIFT] * np.int64(words) + own % SHIFT
            order = np.argsort(own)
            keys[first:last] = own[order]
            final[level[order]] = np.arange(first + 1, last + 1, dtype=np.int32)
        self._node_keys, self._depths = np.zeros(0, np.int64), _empty(0)
        return keys, np.concatenate([final[part] for part in self._nodes] or [_empty(0)])

    def _make_room(self, more: int, letters: int) -> None:
        """Room for so many more words, nodes and bytes of spellings; tables stay less than half full."""
        words, nodes = int(self._state[WORDS]), int(self._state[NODES])
        self._letters = _grown(self._letters, int(self._state[LETTERS]) + letters)
        self._word_starts = _grown(self._word_starts, words + more + 1)
        self._node_keys, self._depths = _grown(self._node_keys, nodes + more + 1), _grown(self._depths, nodes + more + 1)
        if len(self._word_slots) < 2 * (words + more):
            self._word_slots = _empty(_power(2 * (words + more)))
            if words:
                run(refill_words, self._letters, self._word_starts, words, self._word_slots, steps=self._steps, alone=True)
        if 7 * len(self._node_slots) < 16 * (nodes + more):
            self._node_slots = np.zeros(0, np.int64)
            self._node_slots = np.zeros(2 * _power(8 * (nodes + more) // 7 + 1), np.int64)
            if nodes:
                run(refill_nodes, self._node_keys, nodes, self._node_slots, steps=self._steps, alone=True)


def _empty(size: int) -> np.ndarray:
    return np.zeros(size, np.int32)


def _power(size: int) -> int:
    """The next power of two."""
    return max(LEAST, 1 << (size - 1).bit_length())


def _grown(array: np.ndarray, size: int) -> np.ndarray:
    """The array, or a longer copy where it is shorter than that."""
    if len(array) >= size:
        return array
    longer = np.zeros(max(size, len(array) * 5 // 4), array.dtype)
    longer[: len(array)] = array
    return longer
