"""Tables beside the items: rows of named values from JSON lines, csv, tsv or Parquet, for ratings, preferences and scores."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import islice
from pathlib import Path
from typing import Any, TypeVar

from dialometer.core.errors import DataError
from dialometer.data.formats.csv import records
from dialometer.data.formats.detect import check_path, ending
from dialometer.data.formats.json_values import read_records
from dialometer.data.formats.jsonl import not_an_object
from dialometer.data.formats.parquet import rows_of
from dialometer.data.lines import head
from dialometer.data.row_errors import Limits, RowError, limits, parse_rows

T = TypeVar("T")
Row = dict[str, Any]


def read_table(path: Path | str, make: Callable[[Row, int], T], *, max_line: int | None = None) -> Iterator[tuple[int, T]]:
    """The result of ``make`` for every row with its line number; a RowError is counted and gets its position."""
    path = check_path(path)
    accepted = limits(max_line) if max_line else limits()
    kind = _kind(path)
    if kind == "parquet":
        return parse_rows(enumerate(rows_of(path), 1), make, str(path), "row")
    if kind == "jsonl":

        def parsed(value: Any, number: int) -> Any:
            if type(value) is not dict:
                raise not_an_object(value)
            return make(value, number)

        found: Iterator[Any] = read_records(path, accepted, parsed, lambda value: type(value) is dict)
        return found
    return _cells(path, accepted, "\t" if kind == "tsv" else ",", make)


def columns_of(path: Path | str) -> tuple[str, ...]:
    """The names that the first row of a table has."""
    first = islice(read_table(path, lambda row, number: tuple(row)), 1)
    return next((names for _, names in first), ())


def number_in(row: Row, column: str) -> float:
    """A cell as a finite number; NaN where it is absent, empty or null."""
    value = row.get(column)
    if value is None or (isinstance(value, str) and value.strip().lower() in ("", "nan", "na", "null", "none")):
        return float("nan")
    try:
        number = float("nan") if isinstance(value, list | dict) else float(value)
    except (ValueError, TypeError, OverflowError):
        number = float("inf")
    if isinstance(value, list | dict) or abs(number) == float("inf"):
        raise RowError("number", f"{column!r} is not a number: {value!r}", "write a finite number, or leave the cell empty")
    return number


def name_in(row: Row, *columns: str, what: str) -> str:
    """The text of the first of these columns that the row has."""
    for column in columns:
        value = row.get(column)
        if value is not None and str(value) != "":
            return str(value)
    found = ", ".join(row) or "none"
    raise RowError("missing", f"the row names no {what} (columns found: {found})", f"name that column '{columns[0]}'")


def _kind(path: Path) -> str:
    start = head(path)
    if start[:4] == b"PAR1":
        return "parquet"
    if start.lstrip()[:1] in (b"{", b"["):
        return "jsonl"
    if not start.strip():
        raise DataError("is empty", file=str(path), hint=f"ls -l {path}")
    named = ending(path)
    if named in ("csv", "tsv"):
        return named
    return "tsv" if b"\t" in start.partition(b"\n")[0] else "csv"


def _cells(path: Path, accepted: Limits, delimiter: str, make: Callable[[Row, int], T]) -> Iterator[tuple[int, T]]:
    header: list[str] = []

    def named(cells: list[str] | RowError, number: int) -> T:
        if isinstance(cells, RowError):
            raise cells
        if len(cells) != len(header):
            raise RowError(
                "cells", f"has {len(cells)} cells where the header has {len(header)}", "quote cells with a comma"
            )
        return make(dict(zip(header, cells, strict=True)), number)

    def body() -> Iterator[tuple[int, list[str] | RowError]]:
        rows = records(path, accepted, delimiter)
        first = next(rows, (1, []))[1]
        if isinstance(first, RowError):
            raise first
        header.extend(name.strip() for name in first)
        if twice := sorted({name for name in header if header.count(name) > 1}):
            raise RowError("header", f"the header names the column {twice[0]!r} twice", "rename one of the two columns")
        yield from rows

    return parse_rows(body(), named, str(path))
