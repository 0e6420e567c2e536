"""The numbers behind a chart as a table, for those who would rather read them."""

from __future__ import annotations

import math

import numpy as np

from dialometer.report.blocks import Block, Cell, Dots, HeatMap, Interval, Labelled, Lines, Strips, Table


def values_of(block: Block) -> Table | None:
    """What a chart shows, in rows; None where there is no chart."""
    rows: list[list[Cell]]
    match block:
        case Dots():
            ends = [*block.outer, *[(math.nan, math.nan)] * (len(block.labels) - len(block.outer))]
            rows = [
                [name, Interval(float(value), float(low), float(high))]
                for name, value, (low, high) in zip(block.labels, block.values, ends, strict=True)
            ]
            return Table(block.name, ["", block.x_label or "value"], rows)
        case Labelled():
            rows = [[name, x, y] for name, x, y in zip(block.labels, block.x, block.y, strict=True)]
            return Table(block.name, ["", block.x_label, block.y_label], rows)
        case Lines():
            rows = [[float(x), *(series[row] for series in block.series.values())] for row, x in enumerate(block.x)]
            return Table(block.name, [block.x_label, *block.series], rows)
        case HeatMap():
            rows = [[name, *map(float, values)] for name, values in zip(block.rows, block.values, strict=True)]
            return Table(block.name, ["", *block.columns], rows)
        case Strips():
            return Table(block.name, ["", "n", "missing", "mean", "median"], [_strip(*one) for one in block.strips.items()])
    return None


def _strip(name: str, strip: np.ndarray) -> list[Cell]:
    values = np.asarray(strip, float).reshape(-1)
    seen = values[np.isfinite(values)]
    mean, median = (float(seen.mean()), float(np.median(seen))) if seen.size else (math.nan, math.nan)
    return [name, int(seen.size), int(values.size - seen.size), mean, median]
