"""METEOR's paraphrase table as arrays that open in an instant: converted once, kept in the cache, memory-mapped.

Phrases are nodes of a trie, numbered level by level. Node k > 0 is found at place k − 1 of ``keys``, the ascending array of
parent · vocabulary + word. The entries of a node lie together, ascending by the other phrase; ``order`` is the place in the file.
"""

from __future__ import annotations

import gzip
import logging
from array import array
from collections import defaultdict
from dataclasses import dataclass
from functools import cached_property
from itertools import chain, count, islice
from pathlib import Path

import numpy as np

from dialometer.cache import cached
from dialometer.text.meteor_files import content_hash

FORMAT = "v1"
_ARRAYS = ("words", "keys", "entry_starts", "entry_other", "entry_order")
_BLOCK = 3 * 200_000  # three lines an entry: probability, phrase, its paraphrase
_log = logging.getLogger(__name__)


@dataclass(frozen=True, eq=False)
class Paraphrases:
    """The table: source phrase (a node) → the phrases it may be said as, each with its place in the file."""

    words: np.ndarray
    keys: np.ndarray
    entry_starts: np.ndarray
    entry_other: np.ndarray
    entry_order: np.ndarray

    @cached_property
    def vocabulary(self) -> dict[bytes, int]:
        """Word → its number, in the order of first appearance."""
        return {word: i for i, word in enumerate(self.words.tobytes().split(b"\n"))}

    def numbers(self, spellings: list[str]) -> np.ndarray:
        """The table's number of each word, −1 where the table does not know it."""
        get = self.vocabulary.get
        return np.fromiter((get(word.encode(), -1) for word in spellings), np.int64, len(spellings))

    def step(self, nodes: np.ndarray, words: np.ndarray) -> np.ndarray:
        """From each node along a word: the child's number, 0 where there is none or the word is unknown (−1)."""
        if len(self.keys) == 0:
            return np.zeros(len(nodes), np.int64)
        wanted, back = np.unique(np.where(words < 0, -1, nodes * len(self.vocabulary) + words), return_inverse=True)
        at = np.minimum(np.searchsorted(self.keys, wanted), len(self.keys) - 1)
        return np.where(self.keys[at] == wanted, at + 1, 0)[back]


def open_paraphrases(source: Path) -> Paraphrases:
    """The converted table of a ``paraphrase-en.gz``; converted now if the cache has none, or a damaged one."""

    def make() -> dict[str, np.ndarray]:
        _log.info("converting %s, once: about half a minute", source)
        made = convert(source)
        return {name: getattr(made, name) for name in _ARRAYS}

    return Paraphrases(**cached("paraphrases", f"{content_hash(source)}-{FORMAT}", make))


def convert(source: Path) -> Paraphrases:
    """Read the table and build the trie and the entries."""
    words, ids, lengths = _read(source)
    keys, nodes = _trie(ids, lengths, len(words))
    source_node, other = nodes[0::2], nodes[1::2]
    order = np.lexsort((other, source_node))
    starts = np.concatenate([[0], np.cumsum(np.bincount(source_node, minlength=len(keys) + 1))])
    return Paraphrases(
        np.frombuffer(b"\n".join(words), np.uint8), keys, starts, other[order].astype(np.int32), order.astype(np.int32)
    )


def _read(source: Path) -> tuple[list[bytes], np.ndarray, np.ndarray]:
    """The distinct words, every phrase's word numbers end to end, and every phrase's length; sources are the even phrases."""
    number: defaultdict[bytes, int] = defaultdict(count().__next__)
    ids, lengths = array("i"), array("i")
    with gzip.open(source, "rb") as file:
        while block := list(islice(file, _BLOCK)):
            phrases = [line.split() for k, line in enumerate(block) if k % 3]
            lengths.extend(map(len, phrases))
            ids.extend(map(number.__getitem__, chain.from_iterable(phrases)))
    usable = len(lengths) - len(lengths) % 2
    return list(number), np.frombuffer(ids, np.int32), np.frombuffer(lengths, np.int32)[:usable]


def _trie(ids: np.ndarray, lengths: np.ndarray, vocabulary: int) -> tuple[np.ndarray, np.ndarray]:
    """The keys of all nodes, and each phrase's node."""
    starts = np.concatenate([[0], np.cumsum(lengths, dtype=np.int64)])[:-1]
    nodes = np.zeros(len(lengths), np.int64)
    keys: list[np.ndarray] = [np.zeros(0, np.int64)]
    known = 0
    for depth in range(int(lengths.max(initial=0))):
        rows = np.flatnonzero(lengths > depth)
        level, place = np.unique(nodes[rows] * vocabulary + ids[starts[rows] + depth], return_inverse=True)
        nodes[rows] = known + 1 + place
        known += len(level)
        keys.append(level)
    return np.concatenate(keys), nodes
