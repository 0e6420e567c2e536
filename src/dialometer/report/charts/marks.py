"""Series and their signs: the n-th series has the same colour and shape in every chart, and a legend says which is which."""

from __future__ import annotations

from collections.abc import Sequence

from dialometer.report.charts.svg import COLOURS, SHAPES, label, text_width
from dialometer.report.html.escape import Markup, el, join, px

ROW = 22.0


def colour(number: int) -> str:
    """The class of the n-th series' colour."""
    return f"s{number % COLOURS + 1}"


def shape_path(number: int, x: float, y: float, radius: float) -> str:
    """The outline of the n-th series' sign: disc, square, triangle, diamond."""
    kind, r = number // COLOURS % SHAPES, radius
    if kind == 0:
        return f"M{px(x - r)} {px(y)}a{px(r)} {px(r)} 0 1 0 {px(2 * r)} 0a{px(r)} {px(r)} 0 1 0 {px(-2 * r)} 0z"
    if kind == 1:
        r *= 0.89
        return f"M{px(x - r)} {px(y - r)}h{px(2 * r)}v{px(2 * r)}h{px(-2 * r)}z"
    if kind == 2:
        r *= 1.2
        return f"M{px(x)} {px(y - r)}l{px(r)} {px(1.7 * r)}h{px(-2 * r)}z"
    r *= 1.25
    return f"M{px(x)} {px(y - r)}l{px(r)} {px(r)}l{px(-r)} {px(r)}l{px(-r)} {px(-r)}z"


def sign(number: int, x: float, y: float, radius: float = 4.5, tip: str = "") -> Markup:
    """The n-th series' sign at a place."""
    inside = el("title", tip) if tip else Markup()
    return el("path", inside, d=shape_path(number, x, y, radius), class_=f"{colour(number)} dot")


def legend(names: Sequence[str], left: float, width: float, numbers: Sequence[int] = ()) -> tuple[Markup, float]:
    """Signs and names in rows, and how high they are; a single series needs none. ``numbers`` if not 0, 1, 2 …"""
    if len(names) < 2:
        return Markup(), 0.0
    drawn, x, y = [], left, 17.0
    for number, name in zip(numbers or range(len(names)), names, strict=True):
        room = min(text_width(name) + 30, width)
        if x > left and x + room > left + width:
            x, y = left, y + ROW
        drawn += [sign(number, x + 6, y - 4.5), label(name, x + 17, y, room=width - 20)]
        x += room
    return join(*drawn), y + 12
