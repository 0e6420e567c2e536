"""Tokenise and intern straight from bytes, in compiled code; texts that bytes cannot settle go through the definition."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from dialometer.kernels.jit import compiled
from dialometer.kernels.split import PLAIN, copy_bytes, split
from dialometer.text.texts import Texts
from dialometer.text.tokenisers.base import Tokeniser

_SPEAKER_MARKS = (b"_speaker>", b"@user")
_BLOCK = 1 << 24


def split_bytes(texts: Texts, tok: Tokeniser) -> tuple[np.ndarray, np.ndarray, Texts]:
    """Ids, starts and words of every text."""
    data, begin, end, rules = _rewrite(texts, tok, _rows_for_definition(texts, tok))
    classes = np.frombuffer(tok.classes or bytes(256), np.uint8)
    ids = np.empty(len(data), np.int32)
    starts = np.empty(len(texts) + 1, np.int64)
    capacity = 1 << max(12, int(32 * len(data) ** 0.5).bit_length())  # distinct words grow about as the root of the text
    while True:
        slots, keys = np.zeros(capacity, np.int32), np.empty(capacity // 2 + 1, np.int64)
        word_starts = np.zeros(capacity // 2 + 2, np.int64)
        word_bytes = np.empty(len(data), np.uint8)
        scratch = (slots, keys, word_starts, word_bytes)
        count = compiled(split)(data, begin, end, rules, classes, ids, starts, *scratch)
        if count >= 0:
            break
        capacity *= 4  # more distinct words than foreseen: once more, with room
    words = Texts(word_bytes[: word_starts[count]].copy(), word_starts[: count + 1].copy())
    return ids[: starts[-1]], starts, words


def _rows_for_definition(texts: Texts, tok: Tokeniser) -> np.ndarray:
    """Rows that need the Python definition: not ASCII, or with a character that the byte rules do not cover."""
    if not tok.classes:
        return np.arange(len(texts))
    rows = _rows_beyond_ascii(texts, spaces_only=tok.utf8)
    whole = texts.bytes.tobytes() if tok.slow_marks or tok.speakers == "drop" else b""
    places = list(_find(whole, tok.slow_marks))
    if tok.speakers == "drop":
        places += _find(whole.lower(), _SPEAKER_MARKS)
    if places:
        rows = np.union1d(rows, np.searchsorted(texts.starts, places, "right") - 1)
    return rows


def _rows_beyond_ascii(texts: Texts, *, spaces_only: bool) -> np.ndarray:
    """Rows with a character beyond ASCII, or only those with white space beyond ASCII, which ``str.split`` parts at."""
    found = []
    for at in range(0, len(texts.bytes), _BLOCK):
        places = at + np.flatnonzero(texts.bytes[at : at + _BLOCK] >= 0xC2)  # the first byte of such a character
        if spaces_only and len(places):
            places = places[_is_wide_space(texts.bytes, places)]
        found.append(np.unique(np.searchsorted(texts.starts, places, "right") - 1))
    return np.unique(np.concatenate(found)) if found else np.zeros(0, np.int64)


def _is_wide_space(data: np.ndarray, places: np.ndarray) -> np.ndarray:
    """Whether U+0085, U+00A0, U+1680, U+2000 … U+200A, U+2028, U+2029, U+202F, U+205F or U+3000 starts at each place."""
    first, second = data[places], data[places + 1]
    third = data[np.minimum(places + 2, len(data) - 1)]
    general = (second == 0x80) & ((third <= 0x8A) | np.isin(third, (0xA8, 0xA9, 0xAF))) | (second == 0x81) & (third == 0x9F)
    return (
        (first == 0xC2) & ((second == 0x85) | (second == 0xA0))
        | (first == 0xE1) & (second == 0x9A) & (third == 0x80)
        | (first == 0xE2) & general
        | (first == 0xE3) & (second == 0x80) & (third == 0x80)
    )


def _find(whole: bytes, marks: tuple[bytes, ...]) -> Iterator[int]:
    """Where any of the marks stands; marks that share their first byte are sought together, by that byte."""
    for first in {mark[:1] for mark in marks}:
        group = tuple(mark for mark in marks if mark[:1] == first)
        needle = first if len(group) > 1 else group[0]
        at = whole.find(needle)
        while at >= 0:
            if whole.startswith(group, at):
                yield at
            at = whole.find(needle, at + 1)


def _rewrite(texts: Texts, tok: Tokeniser, rows: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Bytes folded for the kernel; the slow rows' tokens, joined by spaces, are appended and pointed at."""
    rules = np.full(len(texts), tok.rules, np.uint8)
    if not tok.lower and len(rows) == 0:
        return np.asarray(texts.bytes), np.asarray(texts.starts[:-1]), np.asarray(texts.starts[1:]), rules
    begin, end = texts.starts[:-1].copy(), texts.starts[1:].copy()
    added = Texts.of(" ".join(tok.split(tok.strip(texts[row]))) for row in rows.tolist())
    begin[rows] = len(texts.bytes) + added.starts[:-1]
    end[rows] = len(texts.bytes) + added.starts[1:]
    rules[rows] = PLAIN
    data = np.empty(len(texts.bytes) + len(added.bytes), np.uint8)
    at = compiled(copy_bytes)(np.asarray(texts.bytes), tok.lower, data)
    data[at:] = added.bytes
    return data, begin, end, rules
