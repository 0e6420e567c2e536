"""Curves over a setting, with bands."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise

from dialometer.report.blocks import Interval, LineChart
from dialometer.report.charts.marks import colour, legend, sign
from dialometer.report.charts.svg import (
    COLOURS,
    WIDTH,
    AxisScale,
    Drawing,
    label,
    text_width,
    tick_text,
    value_range,
    x_axis,
    y_axis,
)
from dialometer.report.html.escape import Markup, el, join, px
from dialometer.report.numbers import bounds, form_of, number

HEIGHT = 300.0
LEFT = 68.0
ROW = 18.0  # of counts
DASHES = ("", "7 4", "2 4", "9 3 2 3")


def draw_lines(block: LineChart, width: float = WIDTH) -> Drawing:
    """A line per series, broken where a value is missing."""
    across = [_log(x) for x in block.x] if block.logarithmic else list(block.x)
    points = [point for series in block.series.values() for point in series]
    signs, top = legend(list(block.series), LEFT, width - LEFT - 8)
    top += 8
    xs = AxisScale(*value_range(across), LEFT, width - 14)
    ys = AxisScale(*value_range(end for point in points for end in (point.value, point.low, point.high)), top + HEIGHT, top)
    axis = x_axis(xs, top, top + HEIGHT, block.x_label, _marks(block.x, across, xs, block.logarithmic))
    parts = [signs, axis, y_axis(ys, LEFT, width - 14, block.y_label)]
    drawn = list(enumerate(block.series.items()))
    parts += [_band(across, series, xs, ys, number_) for number_, (_, series) in drawn]
    parts += [_curve(block, name, across, series, xs, ys, number_) for number_, (name, series) in drawn]
    foot = top + HEIGHT + 52
    parts.append(_counts(block, across, xs, foot))
    foot += ROW * len(block.counts)
    return Drawing(width, foot, join(*parts), block.caption or f"{block.y_label} over {block.x_label}")


def _log(x: float) -> float:
    return math.log10(x) if x > 0 else math.nan


def _marks(
    given: Sequence[float], across: Sequence[float], scale: AxisScale, logarithmic: bool
) -> Mapping[float, str] | None:
    """Ticks at the settings themselves while they have room; else at round numbers, or on a logarithmic axis where they fit."""
    marks: dict[float, str] = {}
    end, places = (
        -math.inf,
        sorted({(x, tick_text(value)) for x, value in zip(across, given, strict=True) if math.isfinite(x)}),
    )
    for x, name in places:
        half = text_width(name) / 2 + 4
        if scale(x) - half >= end:
            marks[x], end = name, scale(x) + half
    return marks if logarithmic or len(marks) == len(places) else None


def _counts(block: LineChart, across: Sequence[float], scale: AxisScale, top: float) -> Markup:
    """Rows of counts under the axis, one per series: at every point, or at every second, third … where they have no room."""
    room = max((text_width(str(count)) for n in block.counts.values() for count in n), default=0.0) + 6
    there = [place for place, x in enumerate(across) if math.isfinite(x)]
    fits = (there[::step] for step in range(1, len(there) + 1) if _apart([scale(across[at]) for at in there[::step]], room))
    drawn: Sequence[int] = next(fits, ())
    parts = []
    for row, (name, n) in enumerate(block.counts.items()):
        y = top + ROW * row + 12
        several = sign(list(block.series).index(name), LEFT - 40, y - 4.5) if len(block.series) > 1 else Markup()
        parts += [several, label("n", LEFT - 22, y, anchor="end", kind="soft")]
        parts += [label(str(n[place]), scale(across[place]), y, anchor="middle", kind="soft") for place in drawn]
    return join(*parts)


def _apart(places: Sequence[float], room: float) -> bool:
    return all(after - before >= room for before, after in pairwise(places))


def _runs(points: Sequence[tuple[float, ...]]) -> Iterator[list[tuple[float, ...]]]:
    """Stretches of points without a gap."""
    run: list[tuple[float, ...]] = []
    for point in points:
        if all(map(math.isfinite, point)):
            run.append(point)
        elif run:
            yield run
            run = []
    if run:
        yield run


def _band(across: Sequence[float], series: Sequence[Interval], xs: AxisScale, ys: AxisScale, number_: int) -> Markup:
    stretches = _runs([(x, point.low, point.high) for x, point in zip(across, series, strict=True)])
    shapes = []
    for run in stretches:
        there = [f"{px(xs(x))} {px(ys(high))}" for x, _, high in run]
        back = [f"{px(xs(x))} {px(ys(low))}" for x, low, _ in reversed(run)]
        shapes.append(f"M{'L'.join(there + back)}z")
    return el("path", d="".join(shapes), class_=f"{colour(number_)} band") if shapes else Markup()


def _curve(
    block: LineChart,
    name: str,
    across: Sequence[float],
    series: Sequence[Interval],
    xs: AxisScale,
    ys: AxisScale,
    number_: int,
) -> Markup:
    runs = list(_runs([(x, point.value) for x, point in zip(across, series, strict=True)]))
    path = "".join("M" + "L".join(f"{px(xs(x))} {px(ys(y))}" for x, y in run) for run in runs)
    dash = DASHES[number_ // COLOURS % len(DASHES)]
    curve = el("path", d=path, class_=f"{colour(number_)} curve", stroke_dasharray=dash or None)
    fixed = form_of(point.value for point in series).fixed
    dots = [
        sign(
            number_,
            xs(x),
            ys(point.value),
            3.6,
            f"{name}, {tick_text(given)}: {number(point.value, fixed=fixed)} {bounds(point, 3, fixed)}".rstrip(),
        )
        for given, x, point in zip(block.x, across, series, strict=True)
        if math.isfinite(x) and math.isfinite(point.value)
    ]
    return join(curve, *dots)
