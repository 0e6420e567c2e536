"""A scatter plot of few named points with an interval in each direction; labels are placed without overlap."""

from __future__ import annotations

import math
from collections.abc import Sequence

from dialometer.report.blocks import Interval, Labelled
from dialometer.report.charts.svg import SIZE, WIDTH, AxisScale, Drawing, fit, line, text_width, value_range, x_axis, y_axis
from dialometer.report.html.escape import Markup, el, join, px
from dialometer.report.numbers import cell_text

HEIGHT = 380.0
LEFT, TOP = 68.0, 12.0
MANY = 60  # names beyond which a crowd would be unreadable: tooltips remain
Box = tuple[float, float, float, float]  # left, top, right, bottom


def draw_labelled(block: Labelled, width: float = WIDTH) -> Drawing:
    """Both means of each name, with their intervals as a faint cross."""
    xs = AxisScale(*value_range(_ends(block.x), 0.06), LEFT, width - 14)
    ys = AxisScale(*value_range(_ends(block.y), 0.06), TOP + HEIGHT, TOP)
    points = [
        (name, x, y)
        for name, x, y in zip(block.labels, block.x, block.y, strict=True)
        if math.isfinite(x.value) and math.isfinite(y.value)
    ]
    places = [(xs(x.value), ys(y.value)) for _, x, y in points]
    parts = [x_axis(xs, TOP, TOP + HEIGHT, block.x_label), y_axis(ys, LEFT, width - 14, block.y_label)]
    parts += [_cross(x, y, xs, ys) for _, x, y in points]
    parts += [_dot(name, x, y, place) for (name, x, y), place in zip(points, places, strict=True)]
    if len(points) <= MANY:
        parts += _names([name for name, _, _ in points], places, width)
    return Drawing(width, TOP + HEIGHT + 52, join(*parts), block.caption or f"{block.y_label} against {block.x_label}")


def _ends(intervals: Sequence[Interval]) -> list[float]:
    return [end for one in intervals for end in (one.value, one.low, one.high)]


def _cross(x: Interval, y: Interval, xs: AxisScale, ys: AxisScale) -> Markup:
    parts = []
    if math.isfinite(x.low) and math.isfinite(x.high):
        parts.append(line(xs(x.low), ys(y.value), xs(x.high), ys(y.value), "s1 faint"))
    if math.isfinite(y.low) and math.isfinite(y.high):
        parts.append(line(xs(x.value), ys(y.low), xs(x.value), ys(y.high), "s1 faint"))
    return join(*parts)


def _dot(name: str, x: Interval, y: Interval, place: tuple[float, float]) -> Markup:
    tip = el("title", f"{name}: {cell_text(x)}; {cell_text(y)}")
    return el("circle", tip, cx=px(place[0]), cy=px(place[1]), r="5.5", class_="s1 dot")


def _names(names: Sequence[str], places: Sequence[tuple[float, float]], width: float) -> list[Markup]:
    """Each name beside its dot, on the side where it covers the least of what is there already."""
    taken: list[Box] = [(x - 6, y - 6, x + 6, y + 6) for x, y in places]
    drawn = []
    for name, (x, y) in zip(names, places, strict=True):
        shown = fit(name, 190)
        anchor, box = min(_sides(x, y, text_width(shown)), key=lambda side: _covered_area(side[1], taken, width))
        taken.append(box)
        at = {"start": box[0], "middle": (box[0] + box[2]) / 2, "end": box[2]}[anchor]
        drawn.append(el("text", shown, x=px(at), y=px(box[3] - 4), class_="ink halo", text_anchor=anchor))
    return drawn


def _sides(x: float, y: float, long: float) -> list[tuple[str, Box]]:
    """Where a name could stand, the best places first, and from where it is written."""
    left, middle, right = x - long, x - long / 2, x
    corners = [
        ("start", right + 10, y - 8), ("end", left - 10, y - 8), ("middle", middle, y - 24), ("middle", middle, y + 8),
        ("start", right + 6, y - 22), ("start", right + 6, y + 7), ("end", left - 6, y - 22), ("end", left - 6, y + 7),
    ]  # fmt: skip
    return [(anchor, (at, top, at + long, top + SIZE + 3)) for anchor, at, top in corners]


def _covered_area(box: Box, taken: Sequence[Box], width: float) -> float:
    """The area shared with what is there, and what would stick out of the picture, many times over."""
    left, top, right, bottom = box
    shared = sum(max(0.0, min(right, r) - max(left, le)) * max(0.0, min(bottom, b) - max(top, t)) for le, t, r, b in taken)
    out = max(0.0, LEFT - left) + max(0.0, right - width) + max(0.0, TOP - 4 - top) + max(0.0, bottom - TOP - HEIGHT)
    return shared + 100 * out
