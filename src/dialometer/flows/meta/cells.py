"""Plain values as cells of a report."""

from __future__ import annotations

from typing import Any

from dialometer.report.blocks import Interval


def interval_cell(one: dict[str, Any]) -> Interval:
    """A coefficient with its interval and p."""
    return Interval(one["r"], one["low"], one["high"], one["p"])
