"""A matrix of numbers as coloured cells: blue above, orange below, the number and its mark in each."""

from __future__ import annotations

import math

from dialometer.report.blocks import HeatMap
from dialometer.report.charts.svg import SIZE, WIDTH, Drawing, fit, label, text_width
from dialometer.report.html.escape import Markup, el, join, px
from dialometer.report.numbers import number

STEPS = 8  # shades on each side of nought
HIGH = 34.0


def shade(value: float, low: float, high: float) -> str:
    """The class of a value's colour; around nought where the range holds it, else one-sided from its lower end.

    >>> shade(0, -1, 1), shade(1, -1, 1), shade(-2, -1, 1), shade(0.5, 0, 1), shade(float("nan"), -1, 1)
    ('h0', 'h8', 'm8', 'h4', 'none')
    """
    if math.isnan(value):
        return "none"
    zero, far = (0.0, max(-low, high)) if low < 0 < high else (low, high - low)
    part = (value - zero) / far if far > 0 else 0.0
    step = round(max(-1.0, min(1.0, part)) * STEPS)
    return f"h{step}" if step >= 0 else f"m{-step}"


def draw_heat(block: HeatMap) -> Drawing:
    """Rows named on the left, columns above (slanted where names are long)."""
    longest = max((text_width(name) for name in block.columns), default=0.0)
    left = min(max((text_width(name) for name in block.rows), default=0.0) + 14, WIDTH * 0.34)
    cell = min(max((WIDTH - left) / max(len(block.columns), 1), 58.0), 92.0)
    slanted = longest > cell - 8
    top = min(longest, 150.0) * 0.62 + 24 if slanted else 28.0
    parts = [_name(name, left + cell * (column + 0.5), top, slanted, cell) for column, name in enumerate(block.columns)]
    for row, name in enumerate(block.rows):
        y = top + HIGH * row
        parts.append(label(name, left - 10, y + HIGH / 2 + 4.5, anchor="end", room=left - 12))
        parts += [_cell(block, row, column, left + cell * column, y, cell) for column in range(len(block.columns))]
    over = min(longest, 150.0) * 0.78 - cell / 2 if slanted else 0.0
    width = left + cell * len(block.columns) + max(over, 0.0) + 4
    return Drawing(width, top + HIGH * len(block.rows) + 6, join(*parts), block.caption or block.name)


def _name(name: str, x: float, top: float, slanted: bool, cell: float) -> Markup:
    if not slanted:
        return label(name, x, top - 9, anchor="middle", room=cell - 4)
    shown = fit(name, 150.0)
    place = f"translate({px(x - 4)} {px(top - 9)}) rotate(-38)"
    return el("text", shown, el("title", name), transform=place, class_="ink", text_anchor="start")


def _cell(block: HeatMap, row: int, column: int, x: float, y: float, cell: float) -> Markup:
    value = float(block.values[row][column])
    mark = block.marks[row][column] if block.marks else ""
    kind = shade(value, block.low, block.high)
    shown = number(round(value, 2), 2)
    tip = el("title", f"{block.rows[row]}, {block.columns[column]}: {number(value, fixed=True)}{' ' if mark else ''}{mark}")
    box = el("rect", tip, x=px(x + 1), y=px(y + 1), width=px(cell - 2), height=px(HIGH - 2), rx="4", class_=f"cell {kind}")
    middle = x + cell / 2
    starred = el("tspan", mark, class_="mark", dy="-3") if mark else Markup()
    text = el(
        "text", shown, starred, x=px(middle), y=px(y + HIGH / 2 + SIZE * 0.35), class_=f"over {kind}", text_anchor="middle"
    )
    return join(box, text)
