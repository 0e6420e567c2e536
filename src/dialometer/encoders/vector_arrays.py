"""Word vectors as arrays: filled block by block, found by the hash of a spelling."""

from __future__ import annotations

import logging
import tempfile
from collections.abc import Iterable
from typing import IO, NamedTuple

import numpy as np

from dialometer.cache import cache_root
from dialometer.kernels.jit import run
from dialometer.kernels.vector_text import hash_words
from dialometer.text.texts import Texts

_log = logging.getLogger(__name__)


class Block(NamedTuple):
    """Some words and their vectors, in the order of the file."""

    words: Texts
    vectors: np.ndarray


def fill(blocks: Iterable[Block], width: int, path: str) -> dict[str, np.ndarray]:
    """Arrays of all blocks; vectors go through a temporary file, so that memory holds a block at a time.

    Of a word that comes twice the first counts; one warning says how many do.
    """
    letters, lengths = [], []
    total, rows = np.zeros(width), 0
    with _scratch() as place:  # its mapping outlives it
        for words, vectors in blocks:
            place.write(np.ascontiguousarray(vectors, np.float32).data)
            letters.append(np.asarray(words.bytes))
            lengths.append(np.diff(words.starts))
            total += vectors.sum(axis=0, dtype=np.float64)
            rows += len(vectors)
        place.flush()
        kept = np.memmap(place, np.float32, "r", shape=(rows, width)) if rows else np.zeros((0, width), np.float32)
    data = np.concatenate([*letters, np.zeros(0, np.uint8)])
    starts = np.concatenate([[0], np.cumsum(np.concatenate([*lengths, np.zeros(0, np.int64)]))]).astype(np.int64)
    hashes = np.zeros(rows, np.int64)
    run(hash_words, data, starts, hashes, steps=len(data) * 6)
    order = np.argsort(hashes, kind="stable").astype(np.int32)
    hashes = hashes[order]
    twice = int((hashes[1:] == hashes[:-1]).sum())
    if twice:
        _log.warning("%s: %d words come more than once; the first vector of each is used", path, twice)
    centre = (total / max(rows, 1)).astype(np.float32)
    return {"vectors": kept, "bytes": data, "starts": starts, "hashes": hashes, "order": order, "centre": centre}


class Store:
    """Looks words up in such arrays; only the rows that are asked for are touched."""

    def __init__(self, arrays: dict[str, np.ndarray]) -> None:
        self.arrays = {name: np.asarray(array) for name, array in arrays.items()}  # plain views: indexing a memmap is slow

    @property
    def centre(self) -> np.ndarray:
        """The mean of all vectors."""
        return self.arrays["centre"]

    def look_up(self, asked: Texts, hashes: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Vectors of the words asked for, and which are there; equal hashes are told apart by spelling."""
        a = self.arrays
        rows = np.full(len(asked), -1)
        places = np.searchsorted(a["hashes"], hashes)
        there = np.minimum(places, len(a["hashes"]) - 1)
        near = np.flatnonzero(a["hashes"][there] == hashes) if len(a["hashes"]) else np.zeros(0, np.int64)
        for n in near:
            spelling, at = asked.bytes[asked.starts[n] : asked.starts[n + 1]].tobytes(), int(places[n])
            while at < len(a["hashes"]) and a["hashes"][at] == hashes[n]:
                row = int(a["order"][at])
                if a["bytes"][a["starts"][row] : a["starts"][row + 1]].tobytes() == spelling:
                    rows[n] = row
                    break
                at += 1
        known = rows >= 0
        vectors = np.zeros((len(asked), a["vectors"].shape[1]), np.float32)
        vectors[known] = a["vectors"][rows[known]]
        return vectors, known


def _scratch() -> IO[bytes]:
    """A nameless file where the cache is, or where the system keeps such files."""
    try:
        cache_root().mkdir(parents=True, exist_ok=True)
        return tempfile.TemporaryFile(dir=cache_root())
    except OSError:
        return tempfile.TemporaryFile()
