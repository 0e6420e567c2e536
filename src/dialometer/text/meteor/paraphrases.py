"""METEOR's paraphrase table as arrays that open in an instant: converted once, kept in the cache, memory-mapped.

Phrases are nodes of a trie, numbered level by level. Node k > 0 is found at place k − 1 of ``keys``, the ascending array of
parent · vocabulary + word. The entries of a node lie together, ascending by the other phrase; ``order`` is the place in the file.
"""

from __future__ import annotations

import gzip
import logging
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import numpy as np

from dialometer.core.cache import cached, is_cached
from dialometer.core.files import open_regular
from dialometer.core.protocols import Progress
from dialometer.text.meteor.phrase_trie import PhraseTrie
from dialometer.text.meteor.resources import content_hash

FORMAT = "v1"
_ARRAYS = ("words", "keys", "entry_starts", "entry_other", "entry_order")
_BLOCK = 1 << 16  # bytes that are unpacked at a time
STAGE = "paraphrases · METEOR's table, built once"
PACKED = 4  # times that the unpacked text is larger
READ = 90  # percent of the work that is done when the file is read
_log = logging.getLogger(__name__)


@dataclass(frozen=True, eq=False)
class Paraphrases:
    """The table: source phrase (a node) → its paraphrases, each with its position in the file."""

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
        """The table's number of each word, −1 for unknown words."""
        get = self.vocabulary.get
        return np.fromiter((get(word.encode(), -1) for word in spellings), np.int64, len(spellings))

    def step(self, nodes: np.ndarray, words: np.ndarray) -> np.ndarray:
        """From each node along a word: the child's number, 0 where there is none or the word is unknown (−1)."""
        if len(self.keys) == 0:
            return np.zeros(len(nodes), np.int64)
        wanted, back = np.unique(np.where(words < 0, -1, nodes * len(self.vocabulary) + words), return_inverse=True)
        at = np.minimum(np.searchsorted(self.keys, wanted), len(self.keys) - 1)
        return np.where(self.keys[at] == wanted, at + 1, 0)[back]


def open_paraphrases(source: Path, progress: Progress | None = None) -> Paraphrases:
    """The converted table of a ``paraphrase-en.gz``; converted now if the cache has none, or a damaged one."""

    def make() -> dict[str, np.ndarray]:
        _log.info("converting %s, once: about ten seconds", source)
        made = convert(source, progress)
        return {name: getattr(made, name) for name in _ARRAYS}

    return Paraphrases(**cached("paraphrases", _key(source), make))


def build_paraphrases(source: Path, progress: Progress) -> None:
    """Convert a table that the cache does not have yet, so that measuring need not."""
    if not is_cached("paraphrases", _key(source)):
        open_paraphrases(source, progress)


def _key(source: Path) -> str:
    return f"{content_hash(source)}-{FORMAT}"


def convert(source: Path, progress: Progress | None = None) -> Paraphrases:
    """Read the table and build the trie and the entries; ``progress`` gets the percentage."""
    trie = PhraseTrie(PACKED * source.stat().st_size)
    for block in _blocks(source, progress):
        trie.add(block)
    words = trie.words()
    keys, nodes = trie.number()
    del trie
    nodes = nodes[: len(nodes) - len(nodes) % 2]  # a last entry that is cut off does not count
    starts = np.concatenate([[0], np.cumsum(np.bincount(nodes[0::2], minlength=len(keys) + 1))])
    pairs = nodes[0::2] * np.int64(len(keys) + 1) + nodes[1::2]
    order = np.argsort(pairs, kind="stable").astype(np.int32)
    del pairs
    if progress:
        progress(STAGE, 100, 100)
    return Paraphrases(words, keys, starts, nodes[1::2][order], order)


def _blocks(source: Path, progress: Progress | None) -> Iterator[bytes]:
    """The unpacked text in blocks of whole lines."""
    size, rest, shown = source.stat().st_size, b"", -1
    with open_regular(source) as packed, gzip.open(packed) as file:
        while block := file.read(_BLOCK):
            if progress and (done := READ * packed.tell() // size) > shown:
                progress(STAGE, done, 100)
                shown = done
            whole, line_feed, after = block.rpartition(b"\n")
            if line_feed:
                yield rest + whole + line_feed
                rest = after
            else:
                rest += block
    if rest:
        yield rest + b"\n"
