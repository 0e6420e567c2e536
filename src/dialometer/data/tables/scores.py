"""Scores from a file of the user's own: ``id`` (or ``system``) and one column of numbers per metric."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import numpy as np

from dialometer.core.errors import DataError
from dialometer.data.row_errors import RowError
from dialometer.data.tables.reader import Row, columns_of, name_in, number_in, read_table

KEYS = ("id", "system")


def read_scores(path: Path | str) -> tuple[str, tuple[str, ...], dict[str, np.ndarray]]:
    """What a row is named by (``id`` or ``system``), the names, and the columns; an empty cell is NaN."""
    found = columns_of(path)
    key = next((name for name in KEYS if name in found), "")
    if not found:
        raise DataError("holds no rows", file=str(path), hint=f"look at it: head {path}")
    if not key:
        raise DataError(
            f"has neither an 'id' nor a 'system' column (columns found: {', '.join(found) or 'none'})",
            file=str(path), hint="name each row by the id of its item, or by its system",
        )  # fmt: skip
    rows = [row for _, row in read_table(path, lambda row, number: _numbers(row, key))]
    columns = tuple(dict.fromkeys(name for _, row in rows for name in row))
    if not columns:
        raise DataError("has no column of numbers", file=str(path), hint=f"{key},my-metric")
    names = tuple(name for name, _ in rows)
    if len(set(names)) < len(names):
        twice = Counter(names).most_common(1)[0][0]
        raise DataError(f"has two rows for the {key} {twice!r}", file=str(path), hint="keep one of them")
    nan = float("nan")
    return key, names, {name: np.array([row.get(name, nan) for _, row in rows]) for name in columns}


def _numbers(row: Row, key: str) -> tuple[str, dict[str, float]]:
    """A row's name and its cells."""
    name = name_in(row, key, what=key)
    try:
        return name, {column: number_in(row, column) for column in row if column not in KEYS}
    except RowError as flaw:
        flaw.item = name
        raise
