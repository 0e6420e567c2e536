"""Vectors on disk by the hash of their text, so that a text is encoded once on a machine (``$DIALOMETER_CACHE/vectors``).

A store is a folder of segments: a header, sorted 128-bit hashes, rows of 32-bit floats. Segments are written under a temporary name
and renamed, never changed, and merged when many are small, so that several processes may write at once. What is damaged is dropped
with one warning, and its texts are encoded again.
"""

from __future__ import annotations

import logging
from collections.abc import Iterable
from dataclasses import dataclass, field
from hashlib import blake2b
from pathlib import Path

import numpy as np

from dialometer.core.atomic import replacing
from dialometer.core.cache import cache_root, content_key, warn_unkept

FORMAT = 1
FULL = 1 << 16  # rows; a segment that has so many is left alone
MANY = 8  # small segments that are merged
_MAGIC = b"dmvec\x00\x00\x01"
_HEADER = 64
_log = logging.getLogger(__name__)


def text_keys(texts: Iterable[str]) -> np.ndarray:
    """(n, 2) uint64: 128 bits of BLAKE2b of each text, to the byte."""
    joined = b"".join(blake2b(text.encode(), digest_size=16).digest() for text in texts)
    return np.frombuffer(joined, "<u8").reshape(-1, 2)


@dataclass(frozen=True)
class VectorStore:
    """The vectors of one recipe, ``width`` floats each."""

    folder: Path
    width: int
    _open: dict[str, _Segment] = field(default_factory=dict, repr=False, compare=False)

    @classmethod
    def of(cls, recipe: str, width: int) -> VectorStore:
        """The store of a recipe in the cache."""
        return cls(cache_root() / "vectors" / content_key(f"vectors-{FORMAT}", recipe, str(width)), width)

    def find(self, keys: np.ndarray, out: np.ndarray) -> np.ndarray:
        """Fill the rows of ``out`` whose keys are known; returns which those are."""
        found = np.zeros(len(keys), bool)
        for segment in self._segments():
            wanted = np.flatnonzero(~found)
            if not len(wanted):
                break
            places = segment.places(keys[wanted])
            hits = wanted[places >= 0]
            if len(hits) and self._sound(segment):
                out[hits] = segment.vectors[places[places >= 0]]
                found[hits] = True
        return found

    def add(self, keys: np.ndarray, vectors: np.ndarray) -> None:
        """Keep vectors; a disk that cannot take them costs a warning."""
        if not len(keys):
            return
        try:
            self._write(keys, vectors)
            self._merge()
        except OSError as error:
            warn_unkept(self.folder, error)

    def _segments(self) -> list[_Segment]:
        """All segments that can be read, largest first; those that others removed are forgotten."""
        names = {path.name: path for path in self.folder.glob("*.vec")} if self.folder.is_dir() else {}
        for name in set(self._open) - set(names):
            del self._open[name]
        for name in sorted(set(names) - set(self._open)):
            try:
                self._open[name] = _Segment.read(names[name], self.width)
            except FileNotFoundError:  # merged by another process just now
                continue
            except (OSError, ValueError) as error:
                self._drop(names[name], error)
        return sorted(self._open.values(), key=lambda segment: -len(segment.keys))

    def _sound(self, segment: _Segment) -> bool:
        """Whether the vectors are those that were written; looked at once, when the first of them is wanted."""
        if segment.path.name not in self._open:
            return False
        if not segment.checked:
            if _digest(segment.vectors) != segment.body:
                self._drop(segment.path, ValueError("its vectors are not what was written"))
                return False
            segment.checked.append(True)
        return True

    def _drop(self, path: Path, error: Exception) -> None:
        _log.warning("the cached vectors %s are damaged (%s); they are computed again", path, error)
        self._open.pop(path.name, None)
        path.unlink(missing_ok=True)

    def _write(self, keys: np.ndarray, vectors: np.ndarray) -> str:
        """The name of a new segment; equal keys give an equal name, so writing them twice is harmless."""
        order = np.lexsort((keys[:, 1], keys[:, 0]))
        keys, vectors = np.ascontiguousarray(keys[order]), np.ascontiguousarray(vectors[order], "<f4")
        index = _digest(keys)
        sizes = np.array([len(keys), self.width], "<u8").tobytes()
        header = (_MAGIC + sizes + index + _digest(vectors)).ljust(_HEADER, b"\0")
        self.folder.mkdir(parents=True, exist_ok=True)
        path = self.folder / f"{len(keys)}-{index.hex()}.vec"
        with replacing(path, durable=False) as (file,):
            for piece in (header, keys.data, vectors.data):
                file.write(piece)
        return path.name

    def _merge(self) -> None:
        """Eight small segments of about one size become one, so that a row is rewritten a few times at most."""
        sizes: dict[int, list[_Segment]] = {}
        for segment in self._segments():
            if len(segment.keys) < FULL:
                sizes.setdefault(len(segment.keys).bit_length() // 3, []).append(segment)
        for alike in sizes.values():
            sound = [segment for segment in alike if self._sound(segment)] if len(alike) >= MANY else []
            if not sound:
                continue
            keys, first = np.unique(np.concatenate([segment.keys for segment in sound]), axis=0, return_index=True)
            name = self._write(keys, np.concatenate([segment.vectors for segment in sound])[first])
            for segment in sound:  # the new one is there before the old ones go
                if segment.path.name != name:
                    self._open.pop(segment.path.name, None)
                    segment.path.unlink(missing_ok=True)


@dataclass(frozen=True, eq=False)
class _Segment:
    """A file of hashes and vectors by memory map; ``body`` is the digest that the vectors must have."""

    path: Path
    keys: np.ndarray
    vectors: np.ndarray
    body: bytes
    checked: list[bool] = field(default_factory=list)

    @classmethod
    def read(cls, path: Path, width: int) -> _Segment:
        """Check sizes and hashes; vectors are looked at when they are wanted."""
        raw = np.memmap(path, np.uint8, "r")
        header = raw[:_HEADER].tobytes()
        n, own = (int(size) for size in np.frombuffer(header[8:24].ljust(16, b"\0"), "<u8"))
        if header[:8] != _MAGIC or own != width or len(raw) != _HEADER + n * (16 + 4 * width):
            raise ValueError("it is cut short or of another kind")
        keys = raw[_HEADER : _HEADER + 16 * n].view("<u8").reshape(n, 2)
        if _digest(keys) != header[24:40]:
            raise ValueError("its hashes are not what was written")
        return cls(path, keys, raw[_HEADER + 16 * n :].view("<f4").reshape(n, width), header[40:56])

    def places(self, keys: np.ndarray) -> np.ndarray:
        """The row of each key, or −1."""
        at = np.minimum(np.searchsorted(self.keys[:, 0], keys[:, 0]), len(self.keys) - 1)
        return np.where((self.keys[at] == keys).all(1), at, -1)


def _digest(array: np.ndarray) -> bytes:
    return blake2b(np.ascontiguousarray(array).data, digest_size=16).digest()
