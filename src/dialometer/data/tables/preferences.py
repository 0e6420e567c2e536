"""Pairwise judgements from a table: ``item``, systems ``a`` and ``b``, ``choice``, and where known ``rater`` and ``quality``.

A choice is ``a``, ``b`` or ``tie``, or the name of the system that won.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np

from dialometer.core.errors import DataError
from dialometer.core.types import Preferences
from dialometer.data.row_errors import RowError
from dialometer.data.tables.reader import Row, name_in, read_table

UNNAMED = "preference"  # the quality of a table that names none


def read_preferences(path: Path | str) -> Preferences:
    """The judgements of a table of preferences."""
    rows = [row for _, row in read_table(path, lambda row, number: _preference(row))]
    if not rows:
        raise DataError(
            "holds no preference", file=str(path), hint="a row per judgement: item, a, b, rater, quality, choice"
        )
    items: dict[str, int] = {}
    systems: dict[str, int] = {}
    raters: dict[str, int] = {}
    qualities: dict[str, int] = {}
    codes = np.array(
        [
            (
                items.setdefault(item, len(items)),
                systems.setdefault(a, len(systems)),
                systems.setdefault(b, len(systems)),
                raters.setdefault(rater, len(raters)) if rater else -1,
                qualities.setdefault(quality, len(qualities)),
                choice,
            )
            for item, a, b, rater, quality, choice in rows
        ],
        np.int32,
    )
    return Preferences(tuple(items), tuple(systems), tuple(raters), tuple(qualities), *codes.T)


def _preference(row: Row) -> tuple[str, str, str, str, str, int]:
    item = name_in(row, "item", "id", what="item")
    a, b = name_in(row, "a", what="first system"), name_in(row, "b", what="second system")
    if a == b:
        raise RowError("same", f"compares {a!r} with itself", "name two systems", item)
    choice = name_in(row, "choice", what="choice").strip()
    # A system may itself be called a, b or tie: the name of a system is read first.
    meaning = {"a": 1, "b": -1, "tie": 0, "equal": 0} | {a: 1, b: -1}
    if choice not in meaning:
        raise RowError("choice", f"the choice {choice!r} is not a, b, tie, {a!r} or {b!r}", "write a, b or tie", item)
    return item, a, b, str(row.get("rater") or ""), str(row.get("quality") or UNNAMED), meaning[choice]
