"""One strip of values per name: discs by count where values repeat, an outline of the spread where they do not."""

from __future__ import annotations

import numpy as np

from dialometer.report.blocks import Strips
from dialometer.report.charts.svg import WIDTH, AxisScale, Drawing, label, line, text_width, tick_text, value_range, x_axis
from dialometer.report.html.escape import Markup, el, join, px
from dialometer.report.numbers import number

ROW = 34.0
TOP = 8.0
HEAD = 16.0  # more of it where a mark is named
FEW = 24  # distinct values that are drawn as discs
TICKS = 7  # distinct values that are ticks themselves
THIN = 0.005  # share of the axis that an outline has at least
BINS = 60  # at most; fewer for few values


def draw_strips(block: Strips, width: float = WIDTH) -> Drawing:
    """Names on the left, n on the right, the median as an upright stroke."""
    values = {name: _finite(strip) for name, strip in block.strips.items()}
    seen = np.concatenate([np.empty(0), *values.values()])
    mark = block.mark if block.mark and np.isfinite(block.mark[1]) else None
    ends = [float(seen.min()), float(seen.max())] if seen.size else []
    left = min(max((text_width(name) for name in values), default=0.0) + 16, max(width * 0.34, 180))
    scale = AxisScale(*value_range([*ends, mark[1]] if mark else ends, 0.05), left + 10, width - 86)
    top = TOP + (HEAD if mark else 0)
    bottom = top + ROW * len(values)
    kinds = np.unique(seen)
    most = max((int(np.unique(strip, return_counts=True)[1].max()) for strip in values.values() if strip.size), default=1)
    marks = {value: tick_text(value) for value in kinds.tolist()} if kinds.size <= TICKS else None
    parts = [x_axis(scale, top, bottom, block.x_label, marks)]
    for row, (name, strip) in enumerate(values.items()):
        y = top + ROW * (row + 0.5)
        parts.append(label(name, left - 12, y + 4.5, anchor="end", room=left - 16))
        parts.append(_count(strip.size, len(block.strips[name]), width, y))
        if strip.size:
            parts += [
                _discs(name, strip, scale, y, most) if kinds.size <= FEW else _outline(name, strip, scale, y),
                _median(strip, scale, y),
            ]
    parts += [_mark(*mark, scale, top, bottom)] if mark else []
    return Drawing(width, bottom + 50, join(*parts), block.caption or block.x_label or block.name)


def _mark(name: str, value: float, scale: AxisScale, top: float, bottom: float) -> Markup:
    """A stroke across all strips, its name above it."""
    told, x = f"{name}: {number(value)}", scale(value)
    half = text_width(told) / 2
    middle = min(max(x, scale.start + half), scale.end - half)
    return join(label(told, middle, top - 6, anchor="middle"), line(x, top - 2, x, bottom, "s2 curve"))


def _finite(strip: np.ndarray) -> np.ndarray:
    values = np.asarray(strip, float).reshape(-1)
    return values[np.isfinite(values)]


def _count(seen: int, given: int, width: float, y: float) -> Markup:
    tip = el("title", f"{given - seen:,} of {given:,} are missing") if seen < given else Markup()
    return el("text", f"n = {seen:,}", tip, x=px(width - 4), y=px(y + 4.5), class_="soft", text_anchor="end")


def _discs(name: str, strip: np.ndarray, scale: AxisScale, y: float, most: int) -> Markup:
    """A disc per value whose area is its count."""
    discs = []
    for value, count in zip(*np.unique(strip, return_counts=True), strict=True):
        tip = el("title", f"{name}: {tick_text(float(value))}, {int(count):,} times")
        radius = max(1.5, 14 * float(np.sqrt(count / most)))
        discs.append(el("circle", tip, cx=px(scale(float(value))), cy=px(y), r=px(radius), class_="s1 disc"))
    return join(*discs)


def _outline(name: str, strip: np.ndarray, scale: AxisScale, y: float) -> Markup:
    """Counts in even bins from the least value to the greatest, mirrored about the row's middle; the fullest is as high as it."""
    bins = int(np.clip(3 * np.sqrt(strip.size), 12, BINS))
    low, high = float(strip.min()), float(strip.max())
    more = max(0.0, THIN * (scale.high - scale.low) - (high - low)) / 2  # what does not spread is seen all the same
    counts, edges = np.histogram(strip, bins=bins, range=(low - more, high + more))
    half = counts / counts.max() * (ROW / 2 - 3)
    corners = [
        (scale(float(edge)), float(height))
        for height, pair in zip(half, zip(edges, edges[1:], strict=False), strict=True)
        for edge in pair
    ]
    there = [f"{px(x)} {px(y - height)}" for x, height in corners]
    back = [f"{px(x)} {px(y + height)}" for x, height in reversed(corners)]
    return el("path", el("title", name), d=f"M{'L'.join(there + back)}z", class_="s1 disc")


def _median(strip: np.ndarray, scale: AxisScale, y: float) -> Markup:
    middle = float(np.median(strip))
    stroke = line(scale(middle), y - ROW / 2 + 4, scale(middle), y + ROW / 2 - 4, "median")
    return el("g", el("title", f"median {number(middle)}"), stroke)
