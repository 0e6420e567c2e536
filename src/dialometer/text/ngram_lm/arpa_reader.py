"""Reading ARPA files, of SRILM, kenlm or ours: tabs or spaces, with or without weights and ``<unk>``, plain or gzip."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from dialometer.core.errors import DataError
from dialometer.text.lines import read_unpacked
from dialometer.text.ngram_lm.arpa_writer import TEN
from dialometer.text.ngram_lm.backoff import END, MARKS, START, UNKNOWN, Backoff, Order
from dialometer.text.texts import Texts

MISSING = -100.0  # log₁₀ p of an unknown word where a file has no <unk>, as kenlm has it
HINT = "an ARPA file, as SRILM, kenlm or dialometer write it"
_COUNT = re.compile(rb"ngram\s+(\d+)\s*=\s*(\d+)$")
_BACKSLASH = ord("\\")


@dataclass(frozen=True)
class _Section:
    """The n-grams of an order as they stand in the file: where the section starts, its rows, and their line numbers."""

    line: int
    rows: list[bytes] = field(default_factory=list)
    places: list[int] = field(default_factory=list)


def read_arpa(path: Path) -> Backoff:
    """The model of a file."""
    file = str(path)
    counts, sections = _sections(read_unpacked(file).split(b"\n"), file)
    for n, (count, section) in enumerate(zip(counts, sections, strict=True), 1):
        if len(section.rows) != count:
            raise DataError(
                f"lists {len(section.rows)} {n}-grams, and the head of the file says {count}",
                file=file, line=section.line, hint=HINT,
            )  # fmt: skip
    columns = [_columns(n, section, file) for n, section in enumerate(sections, 1)]
    names = _names(sections[0], columns[0][1], file)
    for mark in (MARKS[START], MARKS[END]):
        if mark not in names:
            raise DataError(f"has no {mark} among its 1-grams", file=file, hint="a model of whole sentences")
    words = [*MARKS, *sorted(names.difference(MARKS))]
    index = {word.encode(): number for number, word in enumerate(words)} | {b"<UNK>": UNKNOWN}
    levels: list[Order] = []
    for section, (logp, grams, bow) in zip(sections, columns, strict=True):
        numbers = np.fromiter((index.get(word, -1) for word in grams), np.int64, len(grams))
        keys = _keys(section, numbers.reshape(-1, len(levels) + 1), levels, len(words), file)
        level = _sort(section, keys, logp, bow, file)
        levels.append(level if levels else _with_unknown(level))
    return Backoff(Texts.of(words), tuple(levels))


def _sections(lines: list[bytes], file: str) -> tuple[list[int], list[_Section]]:
    """The counts of the head, and the sections."""
    lines = [line.strip() for line in lines]
    if b"\\data\\" not in lines:
        raise DataError("is not an ARPA file: it has no line \\data\\", file=file, hint=HINT)
    start = lines.index(b"\\data\\") + 1
    counts: list[int] = []
    sections: list[_Section] = []
    for number, line in enumerate(lines[start:], start + 1):
        if not line:
            continue
        if line[0] == _BACKSLASH:
            if line == b"\\end\\" and len(sections) == len(counts) > 0:
                return counts, sections
            _check_heading(line, number, len(sections), len(counts), file)
            sections.append(_Section(number))
        elif sections:
            sections[-1].rows.append(line)
            sections[-1].places.append(number)
        else:
            counts.append(_count(line, number, len(counts) + 1, file))
    raise DataError("ends before \\end\\: it is cut short", file=file, line=len(lines), hint="fetch or write it again")


def _check_heading(line: bytes, number: int, sections: int, orders: int, file: str) -> None:
    """Sections come in turn, as many as the head counts."""
    if sections == orders or line != f"\\{sections + 1}-grams:".encode():
        wanted = f"\\{sections + 1}-grams:" if sections < orders else "\\end\\" if orders else "ngram 1=…"
        found = line.decode(errors="replace")
        raise DataError(f"has {found!r} where {wanted} should come", file=file, line=number, hint=HINT)


def _count(line: bytes, number: int, order: int, file: str) -> int:
    """How many n-grams of an order the head promises."""
    found = _COUNT.match(line)
    if found is None or int(found[1]) != order:
        raise DataError(f"should count the {order}-grams: ngram {order}=…", file=file, line=number, hint=HINT)
    return int(found[2])


def _columns(n: int, section: _Section, file: str) -> tuple[np.ndarray, list[bytes], np.ndarray]:
    """Log-probabilities, the words of all n-grams end to end, and weights (0 where there is none)."""
    widths = np.fromiter((len(row.split()) for row in section.rows), np.int64, len(section.rows))
    shape = f"is not a number, {n} word{'s' * (n > 1)} and perhaps a weight"
    _refuse((widths < n + 1) | (widths > n + 2), shape, section, file)
    fields = np.array([b"0", *b" ".join(section.rows).split()], object)  # the weight that rows without one point at
    firsts = np.cumsum(widths) - widths + 1
    logp = _numbers(fields[firsts].tolist(), section, file)
    _refuse(logp > 0, "has a log-probability above 0", section, file)
    bow = _numbers(fields[np.where(widths > n + 1, firsts + n + 1, 0)].tolist(), section, file)
    return logp, fields[(firsts[:, None] + np.arange(1, n + 1)).ravel()].tolist(), bow


def _names(section: _Section, words: list[bytes], file: str) -> set[str]:
    """The words of the 1-grams, with one spelling of unknown."""
    names = set()
    for place, word in zip(section.places, words, strict=True):
        try:
            names.add("<unk>" if word == b"<UNK>" else word.decode())
        except UnicodeDecodeError:
            raise DataError(
                "is not UTF-8 text", file=file, line=place, hint="iconv -f LATIN1 -t UTF-8 FILE > NEW"
            ) from None
    return names


def _keys(section: _Section, words: np.ndarray, levels: list[Order], vocabulary: int, file: str) -> np.ndarray:
    """The key of each n-gram, given the numbers of its words."""
    _refuse(np.asarray((words < 0).any(axis=1)), "has a word that is not among the 1-grams", section, file)
    before = words[:, 0]
    for level, word in zip(levels[1:], words.T[1:-1], strict=True):
        before = level.find(before, word, vocabulary)
        _refuse(before < 0, "continues an n-gram that is not listed", section, file)
    return before * vocabulary + words[:, -1] if levels else before


def _sort(section: _Section, keys: np.ndarray, logp: np.ndarray, bow: np.ndarray, file: str) -> Order:
    order = np.argsort(keys, kind="stable")
    twice = np.zeros(len(keys), bool)
    twice[order[1:]] = np.diff(keys[order]) == 0
    _refuse(twice, "lists an n-gram for the second time", section, file)
    return Order(keys[order], logp[order] * TEN, bow[order] * TEN)


def _with_unknown(level: Order) -> Order:
    """The 1-grams with one for unknown words where the file has none."""
    if level.keys[0] == UNKNOWN:
        return level
    return Order(np.append(UNKNOWN, level.keys), np.append(MISSING * TEN, level.logp), np.append(0.0, level.bow))


def _numbers(fields: list[bytes], section: _Section, file: str) -> np.ndarray:
    """A column as numbers; some write a probability of 0 as -inf."""
    values = np.fromiter(map(_number, fields), np.float64, len(fields))
    _refuse(np.isnan(values) | (values == np.inf), "lacks a number where one should be", section, file)
    return np.where(np.isneginf(values), MISSING, values)


def _number(field: bytes) -> float:
    try:
        return float(field)
    except ValueError:
        return float("nan")


def _refuse(wrong: np.ndarray, what: str, section: _Section, file: str) -> None:
    """Name the first row that is wrong, if any."""
    if wrong.any():
        row = int(np.argmax(wrong))
        shown = section.rows[row].decode(errors="replace")
        count = int(wrong.sum())
        raise DataError(f"{what}: {shown!r}", file=file, line=section.places[row], count=count, hint=HINT)
