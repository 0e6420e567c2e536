"""A row per name: a dot with a thick inner and a thin outer interval."""

from __future__ import annotations

import math

from dialometer.report.blocks import Dots
from dialometer.report.charts.svg import WIDTH, AxisScale, Drawing, label, line, text_width, value_range, x_axis
from dialometer.report.html.escape import Markup, el, join, px
from dialometer.report.numbers import NumberFormat, form_of, number

ROW = 28.0
TOP = 8.0


def draw_dots(block: Dots, width: float = WIDTH) -> Drawing:
    """Names on the left, the axis beneath, the numbers on the right; what was not computed has a dash and no dot."""
    ends = [end for pair in (*block.outer, *block.inner) for end in pair]
    low, high = value_range([*block.values, *ends, *([0.0] if block.zero else [])])
    left = min(max((text_width(name) for name in block.labels), default=0.0) + 16, max(width * 0.38, 180))
    scale = AxisScale(low, high, left, width - 76)
    bottom = TOP + ROW * len(block.labels)
    form = form_of(block.values)
    rows = (_row(block, number_, scale, left, width, form) for number_ in range(len(block.labels)))
    body = join(x_axis(scale, TOP, bottom, block.x_label), *rows)
    return Drawing(width, bottom + 50, body, block.caption or block.x_label or block.name)


def _row(block: Dots, row: int, scale: AxisScale, left: float, width: float, form: NumberFormat) -> Markup:
    y, value = TOP + ROW * (row + 0.5), block.values[row]
    shown = number(value, form.digits, form.fixed)
    parts = [
        label(block.labels[row], left - 12, y + 4.5, anchor="end", room=left - 16),
        label(shown, width - 4, y + 4.5, anchor="end", kind="soft"),
    ]
    for pairs, kind in ((block.outer, "thin"), (block.inner, "thick")):
        if row < len(pairs) and all(map(math.isfinite, pairs[row])):
            parts.append(line(scale(pairs[row][0]), y, scale(pairs[row][1]), y, f"s1 {kind}"))
    if math.isfinite(value):
        tip = el("title", f"{block.labels[row]}: {shown}")
        parts.append(el("circle", tip, cx=px(scale(value)), cy=px(y), r="5.5", class_="s1 dot"))
    return join(*parts)
