"""Plain tables for the terminal: numbers to the right, words to the left."""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence


def table(header: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Columns as wide as they need to be.

    >>> print(table(["system", "n"], [["eliza", "20"], ["human", "5"]]))
    system   n
    eliza   20
    human    5
    """
    widths = [max(_width(row[c]) for row in [header, *rows]) for c in range(len(header))]
    return "\n".join(
        "  ".join(_pad(cell, widths[c], c > 0) for c, cell in enumerate(row)).rstrip() for row in [header, *rows]
    )


def _pad(cell: str, width: int, right: bool) -> str:
    space = " " * (width - _width(cell))
    return space + cell if right else cell + space


def _width(text: str) -> int:
    """Columns on a terminal: wide characters take two, marks none."""
    return sum(0 if unicodedata.combining(c) else 2 if unicodedata.east_asian_width(c) in "WF" else 1 for c in text)
