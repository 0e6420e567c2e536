"""Numbers of the packed items: columns to four digits, shared between scores and plots wherever they agree."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from dialometer.report.blocks import Scatter

DIGITS = 4  # significant ones


def round_value(value: float) -> int | float | None:
    """Four significant digits, as short as JSON can write them; None for what is no number.

    >>> round_value(0.123456), round_value(3.0), round_value(float("nan"))
    (0.1235, 3, None)
    """
    if not math.isfinite(value):
        return None
    short = float(f"{value:.{DIGITS}g}")
    return int(short) if short.is_integer() and abs(short) < 1e15 else short


def shown_points(plot: Scatter) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Rows, x and y of the points that have both."""
    rows, x, y = np.asarray(plot.items, np.int64), np.asarray(plot.x, float), np.asarray(plot.y, float)
    if not len(rows) == len(x) == len(y):
        raise ValueError(f"scatter {plot.name!r} has {len(rows)} items, {len(x)} x and {len(y)} y")
    both = np.isfinite(x) & np.isfinite(y)
    return rows[both], x[both], y[both]


@dataclass
class PlotColumns:
    """Columns of numbers over the packed items; plots with equal columns share one."""

    n: int
    kept: list[np.ndarray] = field(default_factory=list)
    chosen: dict[tuple[int, ...], int] = field(default_factory=dict)

    def place(self, values: np.ndarray) -> int:
        """The number of a whole column."""
        return self._find(np.arange(self.n), _short(values))

    def plot(self, plot: Scatter, rows: np.ndarray) -> dict[str, Any]:
        """A plot over the packed rows: numbers of its columns and of its subset of items, or the bare values if items repeat."""
        items, x, y = shown_points(plot)
        places = np.searchsorted(rows, items)
        there = (
            (places < len(rows)) & (rows[np.minimum(places, max(len(rows) - 1, 0))] == items) if len(rows) else places < 0
        )
        places, x, y = places[there], _short(x[there]), _short(y[there])
        made: dict[str, Any] = {"jitter": plot.jitter}
        if np.unique(places).size < places.size:
            return made | {"rows": places.tolist(), "x": [round_value(v) for v in x], "y": [round_value(v) for v in y]}
        subset = self.chosen.setdefault(tuple(places.tolist()), len(self.chosen))
        return made | {"rows": subset, "x": self._find(places, x), "y": self._find(places, y)}

    def lists(self) -> list[list[int | float | None]]:
        """Every column, for JSON."""
        return [[round_value(value) for value in column.tolist()] for column in self.kept]

    def subsets(self) -> list[list[int] | None]:
        """Every subset of items; None is all of them."""
        everything = tuple(range(self.n))
        return [None if rows == everything else list(rows) for rows in self.chosen]

    def _find(self, rows: np.ndarray, values: np.ndarray) -> int:
        for number, column in enumerate(self.kept):
            if np.array_equal(column[rows], values, equal_nan=True):
                return number
        fresh = np.full(self.n, np.nan)
        fresh[rows] = values
        self.kept.append(fresh)
        return len(self.kept) - 1


def _short(values: np.ndarray) -> np.ndarray:
    return np.array([math.nan if (short := round_value(value)) is None else short for value in values.tolist()], float)
