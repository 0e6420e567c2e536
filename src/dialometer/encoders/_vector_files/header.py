"""The beginning of a file of word vectors: how wide, how many, text or binary."""

from __future__ import annotations

import gzip
import io
import zlib
from contextlib import contextmanager
from dataclasses import dataclass
from typing import IO, TYPE_CHECKING

from dialometer.core.errors import DataError
from dialometer.core.files import open_regular

if TYPE_CHECKING:
    from collections.abc import Iterator

FASTTEXT_MODEL = b"\xba\x16\x4f\x2f"  # the first bytes of a fastText .bin
LONGEST = 1 << 20  # bytes; no line of vectors is longer
WAYS = "word2vec(path=FILE) reads word2vec's binary and text, glove(path=FILE) GloVe's text, fasttext(path=FILE) a .vec"


@dataclass(frozen=True)
class VectorFileHeader:
    """What the first lines say; ``words`` is 0 where they do not say it, ``skip`` the bytes before the first word."""

    path: str
    width: int
    words: int
    skip: int
    binary: bool


@contextmanager
def opened(path: str) -> Iterator[IO[bytes]]:
    """The file, unpacked if it is gzip; damage is a DataError."""
    try:
        with open_regular(path) as raw:
            packed = raw.read(2) == b"\x1f\x8b"
            raw.seek(0)
            yield io.BufferedReader(gzip.GzipFile(fileobj=raw), 1 << 20) if packed else raw
    except (gzip.BadGzipFile, EOFError, zlib.error) as error:
        raise DataError(f"its gzip is damaged ({error})", file=path, hint="check the file with gzip -t") from None
    except OSError as error:
        reason = (error.strerror or str(error)).lower()
        raise DataError(f"cannot read word vectors: {reason}", file=path, hint="check the path") from None


def open_head(path: str, forms: tuple[str, ...]) -> VectorFileHeader:
    """Find out the form of a file; it must be one of ``forms``."""
    with opened(path) as file:
        start = file.read(LONGEST)
    if not start.strip():
        raise DataError("the file of word vectors is empty", file=path, hint=WAYS)
    if start.startswith(FASTTEXT_MODEL):
        raise DataError("is a fastText model, not its vectors", file=path, hint="use the .vec file that comes with it")
    first, _, rest = start.partition(b"\n")
    fields = first.split()
    if len(fields) == 2 and all(field.isdigit() for field in fields):
        head = _headed(path, int(fields[0]), int(fields[1]), len(first) + 1, rest)
        form = "binary" if head.binary else "headed"
    else:
        head, form = VectorFileHeader(path, _bare_width(path, fields), 0, 0, False), "bare"
    if form not in forms:
        what = {
            "binary": "binary vectors",
            "headed": "text with a first line of two numbers",
            "bare": "text without a first line",
        }
        raise DataError(f"holds {what[form]}, which is another format", file=path, hint=WAYS)
    return head


def _headed(path: str, words: int, width: int, skip: int, rest: bytes) -> VectorFileHeader:
    if not (0 < width < 100_000 and words > 0):
        raise DataError(f"promises {words} words of {width} numbers", file=path, line=1, hint=WAYS)
    line = rest.partition(b"\n")[0].split()
    text = len(line) > 1 and all(is_number(field) for field in line[-min(width, len(line) - 1) :])
    return VectorFileHeader(path, width, words, skip, not text)


def _bare_width(path: str, fields: list[bytes]) -> int:
    """How many numbers end the first line, the first field aside."""
    width = 0
    for field in reversed(fields[1:]):
        if not is_number(field):
            break
        width += 1
    if width < 2:
        raise DataError(
            "is not a file of word vectors: its first line is not a word and its numbers", file=path, line=1, hint=WAYS
        )
    return width


def is_number(field: bytes) -> bool:
    """Whether Python reads it as one."""
    try:
        float(field)
    except ValueError:
        return False
    return True
