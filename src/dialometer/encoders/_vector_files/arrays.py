"""Word vectors as arrays: filled block by block, found by the hash of a spelling."""

from __future__ import annotations

import logging
import tempfile
from collections.abc import Iterable
from contextlib import suppress
from typing import IO, NamedTuple

import numpy as np

from dialometer.core.cache import cache_root, warn_unkept
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
    scratch = _Scratch()
    for words, vectors in blocks:
        scratch.write(np.ascontiguousarray(vectors, np.float32).tobytes())
        letters.append(np.asarray(words.bytes))
        lengths.append(np.diff(words.starts))
        total += vectors.sum(axis=0, dtype=np.float64)
        rows += len(vectors)
    kept = scratch.read(rows, width)
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


class _Scratch:
    """A nameless file where the cache is, or where the system keeps such files; memory where neither has space."""

    def __init__(self) -> None:
        self.file: IO[bytes] | None = None
        self.memory = bytearray()
        self.size = 0
        with suppress(OSError):
            cache_root().mkdir(parents=True, exist_ok=True)
            self.file = tempfile.TemporaryFile(dir=cache_root(), buffering=0)  # noqa: SIM115 - closed by read
        if self.file is None:
            with suppress(OSError):
                self.file = tempfile.TemporaryFile(buffering=0)  # noqa: SIM115 - closed by read

    def write(self, data: bytes) -> None:
        """Add bytes; where the disk cannot take them, all that was written moves to memory."""
        try:
            rest = memoryview(data)
            while self.file is not None and len(rest):
                rest = rest[self.file.write(rest) :]
        except OSError as error:
            assert self.file is not None
            warn_unkept(cache_root(), error)
            self.file.seek(0)
            self.memory += self.file.read(self.size)
            self.file.close()
            self.file = None
        if self.file is None:
            self.memory += data
        self.size += len(data)

    def read(self, rows: int, width: int) -> np.ndarray:
        """All that was written, as rows; the mapping of the file outlives it."""
        if self.file is None or not rows:
            return np.frombuffer(bytes(self.memory), np.float32).reshape(rows, width)
        with self.file as file:
            return np.memmap(file, np.float32, "r", shape=(rows, width))
