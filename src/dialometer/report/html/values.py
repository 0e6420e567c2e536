"""The numbers behind a chart as a table, for those who would rather read them."""

from __future__ import annotations

import math

import numpy as np

from dialometer.report.blocks import Block, Cell, Dots, HeatMap, Interval, Labelled, LineChart, Strips, Table


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
        case LineChart():
            return _lines(block)
        case HeatMap():
            rows = [[name, *map(float, values)] for name, values in zip(block.rows, block.values, strict=True)]
            return Table(block.name, ["", *block.columns], rows)
        case Strips():
            return Table(block.name, ["", "n", "missing", "mean", "median"], [_strip(*one) for one in block.strips.items()])
    return None


def _lines(block: LineChart) -> Table:
    """A row per setting: each series, with the cases behind it where they are known."""
    header = [block.x_label]
    whole = all(float(x).is_integer() for x in block.x)
    series: list[list[Cell]] = [[int(x) if whole else float(x) for x in block.x]]
    for name, points in block.series.items():
        header.append(name)
        series.append(list(points))
        if name in block.counts:
            header.append(f"n, {name}")
            series.append(list(block.counts[name]))
    return Table(block.name, header, [list(row) for row in zip(*series, strict=True)])


def _strip(name: str, strip: np.ndarray) -> list[Cell]:
    values = np.asarray(strip, float).reshape(-1)
    seen = values[np.isfinite(values)]
    mean, median = (float(seen.mean()), float(np.median(seen))) if seen.size else (math.nan, math.nan)
    return [name, int(seen.size), int(values.size - seen.size), mean, median]
