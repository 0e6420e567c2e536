"""Plain text to fit on: one utterance a line, UTF-8, plain or gzip."""

from __future__ import annotations

import gzip
import zlib
from hashlib import blake2b
from pathlib import Path

from dialometer.errors import DataError


def read_lines(path: str) -> list[str]:
    """The lines that have words."""
    return [line for line in _lines(path) if line]


def read_paragraphs(path: str) -> list[list[str]]:
    """Conversations: lines that follow each other, with empty lines between conversations."""
    talks: list[list[str]] = [[]]
    for line in _lines(path):
        if line:
            talks[-1].append(line)
        elif talks[-1]:
            talks.append([])
    return [talk for talk in talks if talk]


def file_digest(path: str) -> str:
    """Eight hexadecimal digits of a file's content."""
    return blake2b(_bytes(path), digest_size=4).hexdigest()


def _lines(path: str) -> list[str]:
    raw = _bytes(path)
    if raw[:2] == b"\x1f\x8b":
        try:
            raw = gzip.decompress(raw)
        except (OSError, EOFError, zlib.error) as error:
            raise DataError(f"its gzip is damaged ({error})", file=path, hint="check the file with gzip -t") from None
    try:
        return [line.strip() for line in raw.decode().split("\n")]
    except UnicodeDecodeError as error:
        line = raw[: error.start].count(b"\n") + 1
        raise DataError(
            f"is not UTF-8 text ({error.reason})", file=path, line=line, hint="plain text, one utterance a line"
        ) from None


def _bytes(path: str) -> bytes:
    try:
        return Path(path).read_bytes()
    except OSError as error:
        reason = (error.strerror or str(error)).lower()
        raise DataError(f"cannot be read: {reason}", file=path, hint="check the path") from None
