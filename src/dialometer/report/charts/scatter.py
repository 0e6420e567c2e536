"""One point per item: a canvas that the page's script fills, and a picture for papers."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from dialometer.report.blocks import Item, Scatter
from dialometer.report.charts.marks import colour, legend, shape_path
from dialometer.report.charts.points import shown_points
from dialometer.report.charts.svg import COLOURS, SHAPES, WIDTH, AxisScale, Drawing, value_range, x_axis, y_axis
from dialometer.report.html.escape import Markup, el, join
from dialometer.report.html.payload import Payload
from dialometer.report.html.tables import notes

HEIGHT, LEFT = 380.0, 68.0
RADIUS = 2.4


def scatter_html(plot: Scatter, name: str, payload: Payload, picture: str) -> Markup:
    """The element where the script draws, with its data; ``picture`` is the file that is shown without a script."""
    canvas = el(
        "canvas", tabindex="0", role="application", aria_roledescription="scatter plot",
        aria_label=f"{plot.y_label} against {plot.x_label}. Arrow keys walk from point to point, Enter shows the item.",
    )  # fmt: skip
    stage = el("div", canvas, el("div", class_="ring", hidden=True), el("div", class_="tip", hidden=True), class_="stage")
    without = el(
        "noscript",
        el("p", "This plot needs JavaScript; ", el("a", "here it is as a picture", href=picture), ".", class_="soft"),
    )
    return join(
        without,
        el(
            "div", el("div", class_="legend", role="group", aria_label="Systems shown"), stage,
            el("p", class_="spoken", aria_live="polite"),
            class_="scatter", data_plot=name, data_x=plot.x_label, data_y=plot.y_label,
        ),
        notes(_notes(plot, payload)),
    )  # fmt: skip


def _notes(plot: Scatter, payload: Payload) -> list[str]:
    """What is drawn, and what is not."""
    items = shown_points(plot)[0]
    drawn, there, given = int(np.isin(items, payload.rows).sum()), len(items), len(plot.items)
    said = [f"{drawn:,} points. Point at one to see its numbers; click, tap or press Enter to read the item."]
    if there < given:
        said.append(f"{given - there:,} of {given:,} items are not drawn: a value is missing.")
    if drawn < there:
        said.append(f"A fixed sample of {there:,} points that have both values.")
    if plot.jitter:
        said.append("Points are moved sideways a little, not to hide each other; the numbers shown are exact.")
    return said


def draw_scatter(plot: Scatter, items: Sequence[Item], payload: Payload) -> Drawing:
    """The same picture without a script: one path per system."""
    rows, x, y = shown_points(plot)
    there = np.isin(rows, payload.rows)
    rows, x, y = rows[there], x[there], y[there]
    x = x + plot.jitter * payload.noise[np.searchsorted(payload.rows, rows)]
    systems = list(dict.fromkeys(items[row].system for row in payload.rows))
    of = np.array([systems.index(items[row].system) for row in rows], int)
    used = sorted(set(of.tolist()))
    signs, top = legend([systems[number] or "no system" for number in used], LEFT, WIDTH - LEFT - 8, used)
    top += 8
    xs, ys = AxisScale(*value_range(x), LEFT, WIDTH - 14), AxisScale(*value_range(y), top + HEIGHT, top)
    across, down = _pixels(xs, x), _pixels(ys, y)
    clouds = [_cloud(number, across[of == number], down[of == number]) for number in used]
    axes = (x_axis(xs, top, top + HEIGHT, plot.x_label), y_axis(ys, LEFT, WIDTH - 14, plot.y_label))
    return Drawing(
        WIDTH, top + HEIGHT + 52, join(signs, *axes, *clouds), plot.caption or f"{plot.y_label} against {plot.x_label}"
    )


def _pixels(scale: AxisScale, values: np.ndarray) -> np.ndarray:
    return scale.start + (values - scale.low) / (scale.high - scale.low) * (scale.end - scale.start)


def _cloud(number: int, across: np.ndarray, down: np.ndarray) -> Markup:
    """All points of a system; discs are dots of a round pen, which takes the fewest bytes."""
    places = list(zip(across.tolist(), down.tolist(), strict=True))
    if number // COLOURS % SHAPES == 0:
        return el("path", d="".join(f"M{x:.1f} {y:.1f}h0" for x, y in places), class_=f"{colour(number)} pen")
    return el("path", d="".join(shape_path(number, x, y, RADIUS) for x, y in places), class_=f"{colour(number)} cloud")
