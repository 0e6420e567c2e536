"""Ratings in long form: out of rated items, or from a table with a row per rating.

Such a table has ``item`` (or ``id``), ``value``, and where they are known ``rater``, ``quality``, ``seconds`` and ``check``
(an attention check: 1 passed, 0 failed).
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from pathlib import Path
from typing import Any

import numpy as np

from dialometer.core.errors import DataError
from dialometer.core.types import Ratings
from dialometer.data.formats.protocol import Item
from dialometer.data.row_errors import RowError, flat
from dialometer.data.tables.reader import Row, columns_of, name_in, number_in, read_table

UNNAMED = "rating"  # the quality of a table that names none
RATERS = ("rater", "worker", "annotator", "judge")  # what a column of raters is called
PASSED, FAILED = ("1", "1.0", "true", "passed", "pass"), ("0", "0.0", "false", "failed", "fail")
Judgement = tuple[str, str, str, float, float, float]  # item, rater or "", quality, value, seconds, check
Scale = tuple[float, float]


def ratings_of(items: Iterable[Item], *, scale: Scale | None = None, qualities: Collection[str] = ()) -> Ratings:
    """The ratings of rated items; a declined rating (null) has no row, and an empty list of raters means that they are unknown.

    The scale is that of these ``qualities``, of all unless named.
    """
    rows: list[Judgement] = []
    names: list[str] = []
    nan = float("nan")
    for item in items:
        names.append(item.id)
        raters = item.raters
        for quality, values in item.ratings.items():
            who = raters or ("",) * len(values)
            rows.extend(
                (item.id, rater, quality, float(value), nan, nan)
                for rater, value in zip(who, values, strict=True)
                if value is not None
            )
    if scale:
        _check_scale([row for row in rows if not qualities or row[2] in qualities], scale)
    return _ratings(rows, names)


def read_ratings(path: Path | str, *, scale: Scale | None = None, qualities: Collection[str] = ()) -> Ratings:
    """The ratings of a table; a value that is missing has no row. The scale is that of these qualities, of all unless named."""
    read = read_table(path, lambda row, number: _judgement(row, scale, qualities))
    rows = [row for _, row in read if row is not None]
    if not rows:
        raise DataError("holds no rating", file=str(path), hint="a row per judgement: item, rater, quality, value")
    return _ratings(rows, ())


def holds_ratings(path: Path | str) -> bool:
    """Whether a table has a row per rating rather than a row per item."""
    names = set(columns_of(path))
    return "value" in names and bool({"item", "id"} & names) and not {"response", "turns"} & names


def _judgement(row: Row, scale: Scale | None, qualities: Collection[str]) -> Judgement | None:
    value = number_in(row, "value")
    name = name_in(row, "item", "id", what="item")
    check = _check(row, name)
    if value != value and check != check:
        return None
    rater = next((row[key] for key in RATERS if row.get(key) not in (None, "")), None)
    quality = row.get("quality")
    seconds = number_in(row, "seconds")
    if not quality and check != check:
        quality = UNNAMED
    asked = not qualities or str(quality) in qualities
    if scale and asked and check != check and not scale[0] <= value <= scale[1]:
        raise _outside(value, scale, name)
    return (name, "" if rater is None else str(rater), str(quality or ""), value, seconds, check)


def _check(row: Row, name: str) -> float:
    """1 passed, 0 failed, NaN for what is no attention check."""
    given = str(row.get("check", "")).strip().lower()
    if given in PASSED or given in FAILED:
        return 1.0 if given in PASSED else 0.0
    if given in ("", "none", "nan", "null"):
        return float("nan")
    raise RowError(
        "check", f"'check' is {row['check']}", "write 1 for a check that was passed, 0 for one that was failed", name
    )


def _outside(value: float, scale: Scale, name: str) -> RowError:
    what = f"a rating of {value:g} is outside the scale {scale[0]:g}…{scale[1]:g}"
    return RowError("scale", what, "mend the file, or name its scale: --scale LOW,HIGH", name)


def _ratings(given: list[Judgement], names: Iterable[str]) -> Ratings:
    """Columns of codes, by item and rater whatever the order of the file; ``names`` are items that may have no row."""
    rows = sorted(given, key=_place)
    items: dict[str, int] = {name: number for number, name in enumerate(names)}
    raters: dict[str, int] = {name: number for number, name in enumerate(sorted({row[1] for row in rows if row[1]}))}
    qualities: dict[str, int] = {}
    for row in given:
        if row[5] != row[5]:  # a check need not be about any quality: it is counted with the first
            qualities.setdefault(row[2], len(qualities))
    codes = [
        np.fromiter((items.setdefault(row[0], len(items)) for row in rows), np.int32, len(rows)),
        np.fromiter((raters[row[1]] if row[1] else -1 for row in rows), np.int32, len(rows)),
        np.fromiter((qualities.get(row[2], 0) for row in rows), np.int32, len(rows)),
    ]
    numbers: list[Any] = [np.fromiter((row[column] for row in rows), np.float64, len(rows)) for column in (3, 4, 5)]
    return Ratings(tuple(items), tuple(raters), tuple(qualities), *codes, *numbers)


def _place(row: Judgement) -> tuple[str, str, float]:
    """Sorted by item and rater: repeated ratings of a rater in file order, ratings without a rater by value."""
    item, rater, _, value, _, _ = row
    return item, rater, value if not rater and value == value else 0.0


def _check_scale(rows: list[Judgement], scale: Scale) -> None:
    wrong = sorted((row for row in rows if not scale[0] <= row[3] <= scale[1]), key=_place)
    if wrong:
        flaw = _outside(wrong[0][3], scale, wrong[0][0])
        raise DataError(f"{flaw.what} ({wrong[0][2]})", item=flat(flaw.item), count=len(wrong), hint=flaw.hint)
