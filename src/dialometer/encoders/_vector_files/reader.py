"""Files of word vectors: read once, kept as arrays that are mapped into memory, looked up by hash.

The recipe holds a hash of the whole file. Hashing gigabytes takes seconds, so it is remembered under path, size and time of change.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from hashlib import blake2b
from pathlib import Path
from typing import ClassVar

import numpy as np

from dialometer.core.cache import cached, content_key
from dialometer.core.errors import DataError, NeedsError, SpecError
from dialometer.core.files import check_regular, open_regular
from dialometer.core.recipes import short
from dialometer.encoders._vector_files.arrays import Block, Store, fill
from dialometer.encoders._vector_files.binary import binary_blocks
from dialometer.encoders._vector_files.header import VectorFileHeader, open_head
from dialometer.encoders._vector_files.text import text_blocks
from dialometer.kernels.jit import run
from dialometer.kernels.vector_text import hash_words
from dialometer.text.texts import Texts

FORMAT = "vectors-1"
KEEPS = ("all", "needed")


@dataclass(frozen=True)
class VectorFile:
    """Base of the file formats. ``keep=needed`` reads the file for each new set of words and keeps those alone."""

    path: str = field(default="", metadata={"recipe": False})
    keep: str = field(default="all", metadata={"recipe": False})

    name: ClassVar[str] = ""
    version: ClassVar[int] = 1
    forms: ClassVar[tuple[str, ...]] = ()  # of: binary, headed (a first line with two numbers), bare

    def __post_init__(self) -> None:
        if self.keep not in KEEPS:
            raise SpecError(
                f"{self.name}(keep=…) is all or needed, not {self.keep!r}", f"{self.name}(path=FILE,keep=needed)"
            )

    @property
    def recipe(self) -> str:
        """Name and hash of the file's content."""
        return short(self, self._digest()[:8])

    @property
    def width(self) -> int:
        """Numbers per word, as the head of the file says."""
        return self._head().width

    @property
    def centre(self) -> np.ndarray:
        """The mean of all vectors of the file."""
        if self.keep == "all":
            return self._store().centre
        key = content_key(FORMAT, self.name, self._digest(), "centre")
        return cached("word-vectors", key, lambda: {"centre": _mean(self._blocks(None), self.width)})["centre"]

    def look_up(self, words: Sequence[str]) -> tuple[np.ndarray, np.ndarray]:
        """(n, width) vectors, zeros for words that the file does not have, and which it has; spelling counts, case too."""
        asked = Texts.of(words)
        hashes = np.zeros(len(asked), np.int64)
        run(hash_words, asked.bytes, asked.starts, hashes, steps=len(asked.bytes) * 6)
        store = self._store() if self.keep == "all" else self._needed(np.unique(hashes))
        return store.look_up(asked, hashes)

    def _store(self) -> Store:
        return _kept(self, self._digest())

    def _needed(self, wanted: np.ndarray) -> Store:
        key = content_key(FORMAT, self.name, self._digest(), wanted)
        return Store(cached("word-vectors", key, lambda: fill(self._blocks(wanted), self.width, self.path)))

    def _blocks(self, wanted: np.ndarray | None) -> Iterator[Block]:
        head = self._head()
        return (binary_blocks if head.binary else text_blocks)(head, wanted)

    def _head(self) -> VectorFileHeader:
        return _head(self._place(), *_state(self._place()), self.forms)

    def _digest(self) -> str:
        return _content(self._place(), *_state(self._place()))

    def _place(self) -> str:
        if not self.path:
            raise NeedsError(f"{self.name} names no file of word vectors", f"{self.name}(path=FILE)")
        return str(Path(self.path).expanduser().resolve())


def _state(path: str) -> tuple[int, int]:
    """Size and time of change."""
    try:
        found = os.stat(path)
    except OSError as error:
        raise DataError(
            f"cannot read word vectors: {(error.strerror or str(error)).lower()}", file=path, hint="check the path"
        ) from None
    check_regular(path)
    return found.st_size, found.st_mtime_ns


@lru_cache(maxsize=16)
def _head(path: str, size: int, changed: int, forms: tuple[str, ...]) -> VectorFileHeader:
    return open_head(path, forms)


@lru_cache(maxsize=4)
def _kept(file: VectorFile, digest: str) -> Store:
    key = content_key(FORMAT, file.name, digest)
    return Store(cached("word-vectors", key, lambda: fill(file._blocks(None), file.width, file.path)))


@lru_cache(maxsize=16)
def _content(path: str, size: int, changed: int) -> str:
    """The hash of a file, remembered on disk for files that would take long."""

    def make() -> dict[str, np.ndarray]:
        digest = blake2b(digest_size=16)
        with open_regular(path) as file:
            while block := file.read(1 << 22):
                digest.update(block)
        return {"digest": np.frombuffer(digest.digest(), np.uint8)}

    small = size < 1 << 24
    found = make() if small else cached("digests", content_key("digest-1", path, str(size), str(changed)), make)
    return found["digest"].tobytes().hex()


def _mean(blocks: Iterator[Block], width: int) -> np.ndarray:
    total, count = np.zeros(width), 0
    for block in blocks:
        total += block.vectors.sum(axis=0, dtype=np.float64)
        count += len(block.vectors)
    return (total / max(count, 1)).astype(np.float32)
