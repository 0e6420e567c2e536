"""Values of results as cells of a page."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from msgspec import UnsetType

from dialometer.contracts.meta_tables import Coefficient
from dialometer.report.blocks import Interval


def real(value: float | UnsetType | None) -> float:
    """A number for arithmetic and comparison: NaN where it is undefined.

    >>> real(0.5), real(None)
    (0.5, nan)
    """
    return float("nan") if value is None or isinstance(value, UnsetType) else value


def square(rows: Iterable[Iterable[float | None]]) -> np.ndarray:
    """A matrix of a result as an array, NaN where it is undefined."""
    return np.array([[real(value) for value in row] for row in rows], float)


def interval(value: float | None, low: float | None, high: float | None) -> Interval:
    """A number with its interval."""
    return Interval(real(value), real(low), real(high))


def coefficient_cell(one: Coefficient) -> Interval:
    """A coefficient with its interval and p."""
    return Interval(real(one.r), real(one.low), real(one.high), real(one.p))
