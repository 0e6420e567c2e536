"""Numbers of results as text and as cells; None, an undefined number, is a dash."""

from __future__ import annotations

import math
from typing import Protocol

from dialometer.report.blocks import Interval


class HasInterval(Protocol):
    """A coefficient with an interval, which may be undefined."""

    @property
    def r(self) -> float | None: ...
    @property
    def low(self) -> float | None: ...
    @property
    def high(self) -> float | None: ...


def real(value: float | None) -> float:
    """A number for a cell or a chart: NaN if it is undefined."""
    return math.nan if value is None else value


def fixed(value: float | None, digits: int = 2) -> str:
    """So many decimals.

    >>> fixed(0.126), fixed(None)
    ('0.13', '–')
    """
    return "–" if value is None else f"{value:.{digits}f}"


def rounded(value: float | None) -> str:
    """Two decimals, and no negative zero.

    >>> rounded(-0.001), rounded(None)
    ('0.00', '–')
    """
    return "–" if value is None else f"{round(value, 2) + 0.0:.2f}"


def coefficient(one: HasInterval) -> str:
    """A correlation and its interval, where there is one."""
    ends = "" if one.low is None else f" [{rounded(one.low)}, {rounded(one.high)}]"
    return f"{rounded(one.r)}{ends}"


def interval(one: HasInterval) -> Interval:
    """A correlation as a cell."""
    return Interval(real(one.r), real(one.low), real(one.high))
