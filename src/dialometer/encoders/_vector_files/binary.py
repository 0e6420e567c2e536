"""word2vec's binary form: a first line of two numbers, then each word, a space and its numbers in 32 bits."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from dialometer.core.errors import DataError
from dialometer.encoders._vector_files.arrays import Block
from dialometer.encoders._vector_files.header import LONGEST, VectorFileHeader, opened
from dialometer.encoders._vector_files.text import GET_IT_AGAIN, PIECE, words_of
from dialometer.kernels.jit import run
from dialometer.kernels.vector_text import hash_words


def binary_blocks(head: VectorFileHeader, wanted: np.ndarray | None) -> Iterator[Block]:
    """Words and vectors of a binary file; with ``wanted`` (sorted hashes) those words alone."""
    size, found, before = 4 * head.width, 0, head.skip
    with opened(head.path) as file:
        file.seek(head.skip)
        rest = b""
        while found < head.words:
            piece = file.read(PIECE)
            text = rest + piece
            begins, ends, used = _places(text, size, head.words - found)
            if not piece and found + len(begins) < head.words:
                raise _cut_off(head, found + len(begins), before + used)
            if len(text) - used > LONGEST + size and not len(begins):
                raise DataError(
                    f"a word is longer than {LONGEST:,} bytes", file=head.path, item=f"word {found + 1}", hint=GET_IT_AGAIN
                )
            if len(begins):
                yield _block(head, text, np.array(begins), np.array(ends), found, wanted)
            found, before, rest = found + len(begins), before + used, text[used:]
        if (rest + file.read(LONGEST)).strip(b"\n"):
            raise DataError(
                f"its first line promises {head.words:,} words and more follow", file=head.path, line=1, hint=GET_IT_AGAIN
            )


def _places(text: bytes, size: int, most: int) -> tuple[list[int], list[int], int]:
    """Where each whole word begins and ends, and how many bytes they take with their numbers."""
    begins: list[int] = []
    ends: list[int] = []
    at = 0
    while len(begins) < most:
        begin = at
        while text[begin : begin + 1] == b"\n":  # some writers end each vector with one
            begin += 1
        space = text.find(b" ", begin)
        if space < 0 or space + 1 + size > len(text):
            break
        begins.append(begin)
        ends.append(space)
        at = space + 1 + size
    return begins, ends, at


def _block(
    head: VectorFileHeader, text: bytes, begins: np.ndarray, ends: np.ndarray, found: int, wanted: np.ndarray | None
) -> Block:
    data = np.frombuffer(text, np.uint8)
    words = words_of(data, begins, ends)
    numbers = np.arange(len(begins))
    if wanted is not None:
        hashes = np.zeros(len(begins), np.int64)
        run(hash_words, words.bytes, words.starts, hashes, steps=len(words.bytes) * 6)
        numbers = np.flatnonzero(np.isin(hashes, wanted))
        words = words_of(data, begins[numbers], ends[numbers])
    vectors = (
        np.stack([np.frombuffer(text, "<f4", head.width, int(ends[n]) + 1) for n in numbers.tolist()])
        if len(numbers)
        else np.zeros((0, head.width), np.float32)
    )
    wrong = np.flatnonzero(~np.isfinite(vectors).all(axis=1))
    if len(wrong):
        raise DataError(
            "a number is not finite",
            file=head.path,
            item=f"word {found + int(numbers[wrong[0]]) + 1}, {words[int(wrong[0])]!r}",
            count=len(wrong),
            hint=GET_IT_AGAIN,
        )
    return Block(words, vectors)


def _cut_off(head: VectorFileHeader, found: int, at: int) -> DataError:
    return DataError(
        f"ends after {found:,} of the {head.words:,} words that its first line promises",
        file=head.path,
        item=f"byte {at:,}",
        hint=GET_IT_AGAIN,
    )
