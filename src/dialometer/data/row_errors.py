"""Errors in rows of data files: limits of what is read, and how errors are counted and reported."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from itertools import islice
from typing import TypeVar

from dialometer.core.errors import DataError, UsageError
from dialometer.core.files import MAX_LINE

MAX_COUNT = 1000  # further rows with the same error are counted up to here …
MAX_SCAN = 1_000_000  # … or for so many rows, so that the error is reported in reasonable time
R = TypeVar("R")
T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Limits:
    """Limits of what a reader accepts."""

    max_line: int = MAX_LINE
    allow_empty_references: bool = False
    after: int = 0  # rows up to this number were read before and are skipped by formats that can


def limits(max_line: int = MAX_LINE, allow_empty_references: bool = False) -> Limits:
    """Checked limits."""
    if max_line < 1:
        raise UsageError(f"a line limit of {max_line} bytes lets nothing in", f"--max-line {MAX_LINE}")
    return Limits(max_line, allow_empty_references)


class RowError(Exception):
    """An error in one row; ``parse_rows`` adds file, line and count and raises it as a DataError."""

    def __init__(self, kind: str, what: str, hint: str = "", item: str = "") -> None:
        super().__init__(what)
        self.kind, self.what, self.hint, self.item = kind, what, hint, item


def parse_rows(
    rows: Iterable[tuple[int, R]], make: Callable[[R, int], T], file: str, unit: str = "line"
) -> Iterator[tuple[int, T]]:
    """Parse every row; the first error is raised as a DataError with the number of rows that have the same error."""
    number, stream = 0, iter(rows)
    try:
        for number, raw in stream:
            try:
                item = make(raw, number)
            except RowError as flaw:
                count, whole = _count(flaw, stream, make)
                raise refusal(flaw, file, number, unit, count, whole) from None
            yield number, item
    except RowError as flaw:  # the source itself failed: there are no later rows to count
        raise refusal(flaw, file, number + 1, unit) from None


def refusal(flaw: RowError, file: str, number: int, unit: str = "line", count: int = 1, whole: bool = True) -> DataError:
    """The DataError of a row error; rows that are not lines are described by their unit."""
    line, item, what = number, flat(flaw.item), flat(flaw.what)
    if unit != "line":
        line, item = 0, f"{unit} {number}, {item}" if item else f"{unit} {number}"
    return DataError(what, file=file, line=line, item=item, count=count, at_least=not whole, hint=flaw.hint)


def flat(text: str, longest: int = 400) -> str:
    """Text of a file for use in a message: on one line, and cut if it is long.

    >>> flat("two\\nlines")
    'two lines'
    """
    line = " ".join(text.split())
    return line if len(line) <= longest else f"{line[:longest]}…"


def _count(first: RowError, stream: Iterator[tuple[int, R]], make: Callable[[R, int], T]) -> tuple[int, bool]:
    """How many rows have the same error as the first, and whether all rows were read."""
    count = 1
    try:
        for number, raw in islice(stream, MAX_SCAN):
            try:
                make(raw, number)
            except RowError as flaw:
                count += flaw.kind == first.kind
                if count >= MAX_COUNT:
                    break
    except RowError:
        return count, False
    return count, next(stream, None) is None
