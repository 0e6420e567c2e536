"""Plain text to fit on: one utterance a line, UTF-8, plain or gzip."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from functools import lru_cache
from hashlib import blake2b
from pathlib import Path

from dialometer.core.errors import DataError
from dialometer.core.files import LARGE, read_limited, unpack_limited


def read_lines(path: str) -> list[str]:
    """The lines that have words."""
    return [line for line in _lines(path) if line]


def read_paragraphs(path: str) -> list[list[str]]:
    """Dialogues: lines that follow each other, with empty lines between dialogues."""
    talks: list[list[str]] = [[]]
    for line in _lines(path):
        if line:
            talks[-1].append(line)
        elif talks[-1]:
            talks.append([])
    return [talk for talk in talks if talk]


def read_unpacked(path: str) -> bytes:
    """A whole file, unpacked if it is gzip."""
    with _readable(path):
        raw = read_limited(path, LARGE)
    return unpack_limited(raw, LARGE, path) if raw[:2] == b"\x1f\x8b" else raw


def file_digest(path: str) -> str:
    """Eight hexadecimal digits of a file's content, recomputed when its size or modification time changes."""
    with _readable(path):
        stat = Path(path).stat()
        return _digest(path, stat.st_size, stat.st_mtime_ns)


@lru_cache(maxsize=64)
def _digest(path: str, size: int, changed: int) -> str:
    return blake2b(read_limited(path, LARGE), digest_size=4).hexdigest()


def _lines(path: str) -> list[str]:
    raw = read_unpacked(path)
    try:
        return [line.strip() for line in raw.decode().split("\n")]
    except UnicodeDecodeError as error:
        line = raw[: error.start].count(b"\n") + 1
        raise DataError(
            f"is not UTF-8 text ({error.reason})", file=path, line=line, hint="plain text, one utterance a line"
        ) from None


@contextmanager
def _readable(path: str) -> Iterator[None]:
    """What the system refuses becomes a DataError."""
    try:
        yield
    except OSError as error:
        reason = (error.strerror or str(error)).lower()
        raise DataError(f"cannot be read: {reason}", file=path, hint="check the path") from None
