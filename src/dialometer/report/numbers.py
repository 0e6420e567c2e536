"""Number formats of a page: a column or a row has one number of decimals, a missing number is a dash."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from dialometer.report.blocks import Cell, Interval, Table

MISSING = "–"
MINUS = "−"
LARGE = 1e15  # from here on digits mean nothing
PROBABILITY = re.compile(r"\bp\b")  # in the heading of a column: there a small number is the message


@dataclass(frozen=True)
class NumberFormat:
    """The format of a group of numbers; one too small for the decimals is 0 if ``fixed``, else has an exponent."""

    digits: int = 3
    fixed: bool = False


def decimals(values: Iterable[float]) -> int:
    """Decimals that suit a column: three for numbers below ten, none from a thousand on."""
    largest = max((abs(value) for value in values if math.isfinite(value)), default=0.0)
    return 3 if largest < 10 else 2 if largest < 100 else 1 if largest < 1000 else 0


def form_of(values: Iterable[float]) -> NumberFormat:
    """The form of numbers that stand together: fixed where most of them can be seen at these decimals.

    >>> form_of([0.2, -0.0001, 0.05]), form_of([2e-5, 3e-6, 0.01]), form_of([12.5, 0.001])
    (NumberFormat(digits=3, fixed=True), NumberFormat(digits=3, fixed=False), NumberFormat(digits=2, fixed=True))
    """
    seen = [abs(value) for value in values if value and math.isfinite(value)]
    digits = decimals(seen)
    return NumberFormat(digits, 2 * sum(value >= 0.5 * 10.0**-digits for value in seen) >= len(seen))


def number(value: float, digits: int = 3, fixed: bool = False) -> str:
    """A number for the eye; one too small for the decimals (unless they are ``fixed``), or very large, has an exponent.

    >>> number(-0.25), number(float("nan")), number(0.00002), number(12345.6, 0), number(float("inf"))
    ('−0.250', '–', '2.0e−05', '12,346', '∞')
    """
    if math.isnan(value):
        return MISSING
    if math.isinf(value):
        return "∞" if value > 0 else f"{MINUS}∞"
    text = f"{value:,.{digits}f}" if abs(value) < LARGE else f"{value:.3e}"
    nought = not float(text.replace(",", ""))
    if value and nought and not fixed:
        return f"{value:.1e}".replace("-", MINUS)
    return text.lstrip("-") if nought else text.replace("-", MINUS)


def probability(p: float) -> str:
    """``p = 0.012``, or a bound where the decimals end; nothing for NaN.

    >>> probability(0.0123), probability(1e-9), probability(float("nan"))
    ('p = 0.012', 'p < 0.001', '')
    """
    if math.isnan(p):
        return ""
    return "p < 0.001" if p < 0.001 else f"p = {p:.3f}"


def bounds(interval: Interval, digits: int, fixed: bool = False) -> str:
    """``[low, high]``; nothing where there are none."""
    if math.isnan(interval.low) and math.isnan(interval.high):
        return ""
    return f"[{number(interval.low, digits, fixed)}, {number(interval.high, digits, fixed)}]"


def cell_text(cell: Cell, digits: int = 3, fixed: bool = False) -> str:
    """A cell as one line of text.

    >>> cell_text(Interval(0.5, 0.4, 0.6, 0.01)), cell_text(None), cell_text(12000), cell_text(True)
    ('0.500 [0.400, 0.600], p = 0.010', '–', '12,000', 'yes')
    """
    if cell is None:
        return MISSING
    if isinstance(cell, bool):
        return "yes" if cell else "no"
    if isinstance(cell, Interval):
        whole = " ".join(filter(None, (number(cell.value, digits, fixed), bounds(cell, digits, fixed))))
        return ", ".join(filter(None, (whole, probability(cell.p))))
    if isinstance(cell, int):
        return f"{cell:,}".replace("-", MINUS)
    return number(cell, digits, fixed) if isinstance(cell, float) else cell


def sort_value(cell: Cell) -> float:
    """What a column of numbers is sorted by; NaN where the cell is none."""
    if isinstance(cell, Interval):
        return float(cell.value)
    return float(cell) if isinstance(cell, int | float) and not isinstance(cell, bool) else float("nan")


def rows_of(table: Table) -> list[list[Cell]]:
    """The rows with plain values: a number of numpy's is not always one of Python's."""
    rows = [[cell.item() if isinstance(cell, np.generic) else cell for cell in row] for row in table.rows]
    for number_, row in enumerate(rows):
        if len(row) != len(table.header):
            raise ValueError(f"row {number_} of table {table.name!r} has {len(row)} cells, its header {len(table.header)}")
    return rows


def is_numeric(cells: Iterable[Cell]) -> bool:
    """Whether a column holds numbers and nothing else but gaps."""
    there = [cell for cell in cells if cell is not None]
    return bool(there) and all(isinstance(cell, int | float | Interval) and not isinstance(cell, bool) for cell in there)


def cell_forms(table: Table, rows: Sequence[Sequence[Cell]]) -> list[list[NumberFormat]]:
    """The form of every cell: that of its column, or of its row where rows are of different kinds; p has its own in any case."""
    columns = [[row[place] for row in rows] for place in range(len(table.header))]
    chances = [bool(PROBABILITY.search(name)) for name in table.header]
    own = [
        NumberFormat(decimals(_numbers(cells))) if chance else form_of(_numbers(cells))
        for cells, chance in zip(columns, chances, strict=True)
    ]
    if not table.by_row:
        return [own] * len(rows)
    made = []
    for row in rows:
        whole = form_of(_numbers([cell for cell, chance in zip(row, chances, strict=True) if not chance]))
        made.append([form if chance else whole for form, chance in zip(own, chances, strict=True)])
    return made


def _numbers(cells: Iterable[Cell]) -> list[float]:
    """The numbers that decimals are chosen for; integers have none of their own and do not count."""
    return [sort_value(cell) for cell in cells if not isinstance(cell, int)]
