"""Bytes of a file, plain or gzip (detected by content), as blocks and as lines of bounded length."""

from __future__ import annotations

import gzip
import zlib
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from io import BufferedReader
from pathlib import Path
from typing import cast

from dialometer.core.files import open_regular
from dialometer.data.row_errors import RowError

BLOCK = 1 << 20
GZIP = b"\x1f\x8b"
BOM = b"\xef\xbb\xbf"
UTF16 = (b"\xff\xfe", b"\xfe\xff")


@contextmanager
def open_bytes(path: Path) -> Iterator[BufferedReader]:
    """The file's bytes, unpacked where its first two bytes say gzip."""
    try:
        with open_regular(path) as raw:
            if raw.peek(2)[:2] == GZIP:
                with gzip.GzipFile(fileobj=raw) as unpacked:
                    yield cast(BufferedReader, unpacked)
            else:
                yield raw
    except EOFError:
        raise RowError(
            "damaged", "the gzip data ends too early", f"fetch the file again; check with: gzip -t {path}"
        ) from None
    except (gzip.BadGzipFile, zlib.error) as error:
        raise RowError("damaged", f"the gzip data is damaged ({error})", f"fetch it again; check: gzip -t {path}") from None
    except OSError as error:
        raise RowError("unreadable", f"cannot be read ({error.strerror or error})", f"ls -l {path}") from None


def blocks(path: Path) -> Iterator[bytes]:
    """The content in pieces of at most a megabyte, without a byte order mark.

    One call to the unpacker each (``read1``), so that what precedes damage is still handed on.
    """
    with open_bytes(path) as stream:
        block = stream.read1(BLOCK)
        if block.startswith(UTF16):
            raise RowError("encoding", "is UTF-16 text, not UTF-8", f"iconv -f UTF-16 -t UTF-8 {path} > utf8-{path.name}")
        block = block.removeprefix(BOM) or stream.read1(BLOCK)
        while block:
            yield block
            block = stream.read1(BLOCK)


def lines(path: Path, max_line: int, *, blank: bool = False) -> Iterator[tuple[int, bytes | RowError]]:
    """Numbered lines without their line feed; a line above the limit is yielded as its RowError; memory is bounded."""
    number, carry = 0, b""
    for block in blocks(path):
        pieces = (carry + block).split(b"\n") if carry else block.split(b"\n")
        carry = pieces.pop()[: max_line + 1]  # one byte above the limit is enough to know
        for piece in pieces:
            number += 1
            if len(piece) > max_line:
                yield number, too_long(max_line)
            elif blank or (piece and not piece.isspace()):
                yield number, piece
    if len(carry) > max_line:
        yield number + 1, too_long(max_line)
    elif carry and (blank or not carry.isspace()):
        yield number + 1, carry


def too_long(max_line: int) -> RowError:
    """A line, or a JSON value, above the limit."""
    return RowError("long", f"is longer than {max_line} bytes", f"--max-line {max_line * 4} allows longer ones")


def text(line: bytes | RowError) -> str:
    """A line as text."""
    if isinstance(line, RowError):
        raise line
    try:
        return line.decode()
    except UnicodeDecodeError as error:
        raise not_utf8(error) from None


def not_utf8(error: UnicodeDecodeError) -> RowError:
    """Bytes that are not UTF-8."""
    hint = "iconv -f LATIN1 -t UTF-8 FILE > NEW, if it is Latin-1"
    return RowError("encoding", f"is not UTF-8 (byte {error.object[error.start]:#04x} at column {error.start + 1})", hint)


def head(path: Path, size: int = 1 << 16) -> bytes:
    """The first bytes, for telling formats apart."""
    start = b""
    # Damage further on is for the reader to report, with the line that it reached.
    with suppress(RowError), open_bytes(path) as stream:
        while len(start) < size and (block := stream.read1(size)):
            start += block
    return start.removeprefix(BOM)


def stem(path: Path) -> str:
    """A file's name without its format endings: what missing ids are made of.

    >>> stem(Path("turns/fed.jsonl.gz"))
    'fed'
    """
    name = path.name.removesuffix(".gz")
    return name.rsplit(".", 1)[0] or name
