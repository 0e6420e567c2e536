"""Word vectors in text form, a block of lines at a time."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from dialometer.core.errors import DataError
from dialometer.encoders._vector_files.arrays import Block
from dialometer.encoders._vector_files.header import LONGEST, VectorFileHeader, is_number, opened
from dialometer.kernels.jit import run
from dialometer.kernels.vector_text import ODD, SKIPPED, SPACED, read_vectors
from dialometer.text.texts import Texts

PIECE = 1 << 24  # bytes read at once
TENS = 10.0 ** np.arange(23)
GET_IT_AGAIN = "the file is damaged or cut off: get it again"


class LineSpans(NamedTuple):
    """Lines inside some bytes; ``number`` is that of the first one in the file."""

    data: np.ndarray
    begins: np.ndarray
    ends: np.ndarray
    number: int


def text_blocks(head: VectorFileHeader, wanted: np.ndarray | None) -> Iterator[Block]:
    """Words and vectors of a text file; with ``wanted`` (sorted hashes) those words alone."""
    number = 2 if head.skip else 1
    with opened(head.path) as file:
        file.seek(head.skip)
        rest = b""
        while True:
            piece = file.read(PIECE)
            text = rest + piece
            cut = _whole(text) if piece else len(text)
            text, rest = text[:cut], text[cut:]
            if len(rest) > LONGEST:
                raise DataError(f"a line is longer than {LONGEST:,} bytes", file=head.path, line=number, hint=GET_IT_AGAIN)
            if text:
                lines = _cut(text if text.endswith(b"\n") else text + b"\n", number, last=not piece)
                if len(lines.begins):
                    yield _block(head, lines, wanted)
                number += len(lines.begins)
            if not piece:
                break
    found = number - (2 if head.skip else 1)
    if head.words and found != head.words:
        raise DataError(
            f"its first line promises {head.words:,} words and {found:,} are there",
            file=head.path,
            line=1,
            hint=GET_IT_AGAIN,
        )


def _whole(text: bytes) -> int:
    """Where the last whole line with something in it ends; empty lines may turn out to be the end of the file."""
    body = text[: text.rfind(b"\n") + 1].rstrip(b" \t\r\n")
    return text.find(b"\n", len(body)) + 1 if body else 0


def _cut(text: bytes, number: int, *, last: bool) -> LineSpans:
    """Lines without white space at their ends; empty lines at the end of the file do not count."""
    data = np.frombuffer(text, np.uint8)
    ends = np.flatnonzero(data == 10)
    begins = np.concatenate([[0], ends[:-1] + 1]).astype(np.int64)
    while True:
        tails = (ends > begins) & np.isin(data[ends - 1], (9, 13, 32))
        if not tails.any():
            break
        ends = ends - tails
    if last:
        whole = np.flatnonzero(ends > begins)
        count = int(whole[-1]) + 1 if len(whole) else 0
        begins, ends = begins[:count], ends[:count]
    return LineSpans(data, begins, ends, number)


def _block(head: VectorFileHeader, lines: LineSpans, wanted: np.ndarray | None) -> Block:
    count = len(lines.begins)
    word_ends, states = np.zeros(count, np.int64), np.zeros(count, np.int8)
    values = np.zeros((count, head.width), np.float32)
    some = np.zeros(0, np.int64) if wanted is None else wanted
    run(
        read_vectors, lines.data, lines.begins, lines.ends, head.width, some, wanted is not None, TENS,
        word_ends, states, values, steps=len(lines.data) * 5,
    )  # fmt: skip
    for row in np.flatnonzero((states == ODD) | (states == SPACED)).tolist():
        word_ends[row], values[row] = _by_definition(head, lines, row)
    wrong = np.flatnonzero(~np.isfinite(values).all(axis=1))
    if len(wrong):
        raise DataError(
            "a number is not finite", file=head.path, line=lines.number + int(wrong[0]), count=len(wrong), hint=GET_IT_AGAIN
        )
    kept = states != SKIPPED
    return Block(words_of(lines.data, lines.begins[kept], word_ends[kept]), values[kept] if wanted is not None else values)


def _by_definition(head: VectorFileHeader, lines: LineSpans, row: int) -> tuple[int, np.ndarray]:
    """Where the word of an unusual line ends, and its numbers."""
    line = lines.data[lines.begins[row] : lines.ends[row]].tobytes()
    number = lines.number + row
    fields = line.split()
    numbers = fields[-head.width :] if len(fields) > head.width else fields[1:]
    try:
        values = np.array([float(field) for field in numbers], np.float64)
    except ValueError:
        raise DataError(
            f"what follows the word is not {head.width} numbers", file=head.path, line=number, hint=GET_IT_AGAIN
        ) from None
    more = fields[1 : -head.width]
    if len(values) < head.width or (more and (head.words or is_number(more[-1]))):
        found = len(values) + len(more)
        raise DataError(
            f"has {found} numbers where {head.width} were expected", file=head.path, line=number, hint=GET_IT_AGAIN
        )
    cut = line.rsplit(None, head.width)[0] if len(fields) > head.width else line
    with np.errstate(over="ignore"):
        return int(lines.begins[row]) + len(cut), values.astype(np.float32)


def words_of(data: np.ndarray, begins: np.ndarray, ends: np.ndarray) -> Texts:
    """The words between these places; what is not UTF-8 in them becomes the replacement character."""
    lengths = ends - begins
    starts = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)
    letters = data[np.repeat(begins - starts[:-1], lengths) + np.arange(starts[-1])]
    try:
        letters.tobytes().decode()
        if not ((letters[starts[:-1][lengths > 0]] & 0xC0) == 0x80).any():
            return Texts(letters, starts)
    except UnicodeDecodeError:
        pass
    joined = letters.tobytes()
    pairs = zip(starts[:-1].tolist(), starts[1:].tolist(), strict=True)
    return Texts.of(joined[a:b].decode(errors="replace") for a, b in pairs)
