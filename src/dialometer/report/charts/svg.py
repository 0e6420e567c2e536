"""What every chart is drawn with: scales, ticks, axes, labels that fit. Colours are classes (``assets/chart.css``)."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from unicodedata import east_asian_width

from dialometer.report.html.escape import Markup, el, join, px
from dialometer.report.numbers import MINUS

WIDTH, NARROW = 780.0, 420.0  # on a screen and on a phone
SIZE = 13.0  # of letters
HUGE = 1e300  # beyond it no range has a width
COLOURS, SHAPES = 8, 4  # series differ in colour first, then in shape or dash


@dataclass(frozen=True)
class Drawing:
    """A finished chart; ``title`` is its alternative text for screen readers."""

    width: float
    height: float
    body: Markup
    title: str


@dataclass(frozen=True)
class AxisScale:
    """Values from low to high onto pixels from start to end.

    >>> AxisScale(0, 10, 100, 200)(5)
    150.0
    """

    low: float
    high: float
    start: float
    end: float

    def __call__(self, value: float) -> float:
        part = (value - self.low) / (self.high - self.low)
        return self.start + max(-9.0, min(10.0, part)) * (self.end - self.start)  # far outside is far enough


def value_range(values: Iterable[float], pad: float = 0.04) -> tuple[float, float]:
    """The range of an axis with some air; a constant gets room around it, nothing at all gets 0 to 1.

    >>> value_range([]), value_range([3, 3, float("nan")])
    ((0.0, 1.0), (2.5, 3.5))
    """
    seen = [float(value) for value in values if abs(value) < HUGE]
    if not seen:
        return 0.0, 1.0
    low, high = min(seen), max(seen)
    if high - low <= max(1e-12 * max(abs(low), abs(high)), 1 / HUGE):
        room = max(0.5, abs(low) * 0.1)
        return low - room, high + room
    return low - pad * (high - low), high + pad * (high - low)


def ticks(low: float, high: float, about: int = 6) -> list[float]:
    """Round numbers inside a range, a step of 1, 2 or 5 apart.

    >>> ticks(0, 1, 5)
    [0.0, 0.2, 0.4, 0.6, 0.8, 1.0]
    """
    rough = (high - low) / about
    unit = 10.0 ** math.floor(math.log10(rough))
    step = min((unit * factor for factor in (1, 2, 5, 10)), key=lambda size: abs(math.log(size / rough)))
    first, last = math.ceil(low / step - 1e-9), math.floor(high / step + 1e-9)
    return [round(number * step, 12) for number in range(first, last + 1)]


def tick_text(value: float) -> str:
    """A tick's label."""
    return f"{value:.6g}".replace("-", MINUS)


def text_width(text: str, size: float = SIZE) -> float:
    """An upper estimate of the width of a text, since system fonts differ."""
    return size * sum(_breadth(letter) for letter in text)


def fit(text: str, room: float, size: float = SIZE) -> str:
    """The text, cut in its middle where it is too wide: names tend to differ at their ends.

    >>> fit("a short one", 200), fit("a long name (p = 0.3)", 120)
    ('a short one', 'a long n…p = 0.3)')
    """
    if text_width(text, size) <= room:
        return text
    for kept in range(len(text) - 1, 0, -1):
        head = (kept + 1) // 2
        shown = f"{text[:head].rstrip()}…{text[len(text) - kept + head :].lstrip()}"
        if text_width(shown, size) <= room:
            return shown
    return "…"


def label(text: str, x: float, y: float, *, anchor: str = "start", room: float = math.inf, kind: str = "ink") -> Markup:
    """A text at a place; where it had to be cut, the whole one is its tooltip."""
    shown = fit(text, room)
    tip = el("title", text) if shown != text else Markup()
    return el("text", shown, tip, x=px(x), y=px(y), class_=kind, text_anchor=anchor)


def line(x1: float, y1: float, x2: float, y2: float, kind: str) -> Markup:
    """A straight line."""
    return el("line", x1=px(x1), y1=px(y1), x2=px(x2), y2=px(y2), class_=kind)


def x_axis(scale: AxisScale, top: float, bottom: float, title: str, marks: Mapping[float, str] | None = None) -> Markup:
    """Upright grid lines with numbers beneath, and the axis's name under them; ``marks`` are places and their names."""
    if marks is None:
        marks = {
            mark: tick_text(mark) for mark in ticks(scale.low, scale.high, max(3, round(abs(scale.end - scale.start) / 90)))
        }
    grid = (line(scale(mark), top, scale(mark), bottom, "zero" if name == "0" else "grid") for mark, name in marks.items())
    names = (label(name, scale(mark), bottom + 18, anchor="middle", kind="soft") for mark, name in marks.items())
    middle = (scale.start + scale.end) / 2
    return join(
        *grid, *names, label(title, middle, bottom + 40, anchor="middle", room=max(abs(scale.end - scale.start), 240))
    )


def y_axis(scale: AxisScale, left: float, right: float, title: str) -> Markup:
    """Level grid lines with numbers to the left, and the axis's name upright beside them."""
    marks = ticks(scale.low, scale.high, max(3, round(abs(scale.end - scale.start) / 55)))
    grid = (line(left, scale(mark), right, scale(mark), "zero" if mark == 0 else "grid") for mark in marks)
    names = (label(tick_text(mark), left - 8, scale(mark) + 4.5, anchor="end", kind="soft") for mark in marks)
    shown = fit(title, abs(scale.end - scale.start))
    middle = px((scale.start + scale.end) / 2)
    turned = el("text", shown, transform=f"translate(14 {middle}) rotate(-90)", class_="ink", text_anchor="middle")
    return join(*grid, *names, turned)


def _breadth(letter: str) -> float:
    if letter in "iljtfrI.,:;'|!() []":
        return 0.4
    if letter in "mwMW%@" or east_asian_width(letter) in "WF":
        return 1.0
    return 0.74 if letter.isupper() else 0.63
