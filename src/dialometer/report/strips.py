"""One strip of values per name: discs by count where values repeat, an outline of the spread where they do not."""

from __future__ import annotations

import numpy as np

from dialometer.report.blocks import Strips
from dialometer.report.html import Markup, el, join, px
from dialometer.report.numbers import number
from dialometer.report.svg import WIDTH, Drawing, Scale, breadth, label, line, spread, tick_text, x_axis

ROW = 34.0
TOP = 8.0
FEW = 24  # distinct values that are drawn as discs
TICKS = 7  # distinct values that are ticks themselves
BINS = 60  # at most; fewer for few values


def draw_strips(block: Strips, width: float = WIDTH) -> Drawing:
    """Names on the left, n on the right, the median as an upright stroke."""
    values = {name: _finite(strip) for name, strip in block.strips.items()}
    seen = np.concatenate([np.empty(0), *values.values()])
    left = min(max((breadth(name) for name in values), default=0.0) + 16, max(width * 0.34, 180))
    scale = Scale(*spread([float(seen.min()), float(seen.max())] if seen.size else [], 0.05), left + 10, width - 86)
    bottom = TOP + ROW * len(values)
    kinds = np.unique(seen)
    most = max((int(np.unique(strip, return_counts=True)[1].max()) for strip in values.values() if strip.size), default=1)
    marks = {value: tick_text(value) for value in kinds.tolist()} if kinds.size <= TICKS else None
    parts = [x_axis(scale, TOP, bottom, block.x_label, marks)]
    for row, (name, strip) in enumerate(values.items()):
        y = TOP + ROW * (row + 0.5)
        parts.append(label(name, left - 12, y + 4.5, anchor="end", room=left - 16))
        parts.append(_count(strip.size, len(block.strips[name]), width, y))
        if strip.size:
            parts += [
                _discs(name, strip, scale, y, most) if kinds.size <= FEW else _outline(name, strip, scale, y),
                _median(strip, scale, y),
            ]
    return Drawing(width, bottom + 50, join(*parts), block.caption or block.x_label or block.name)


def _finite(strip: np.ndarray) -> np.ndarray:
    values = np.asarray(strip, float).reshape(-1)
    return values[np.isfinite(values)]


def _count(seen: int, given: int, width: float, y: float) -> Markup:
    tip = el("title", f"{given - seen:,} of {given:,} are missing") if seen < given else Markup()
    return el("text", f"n = {seen:,}", tip, x=px(width - 4), y=px(y + 4.5), class_="soft", text_anchor="end")


def _discs(name: str, strip: np.ndarray, scale: Scale, y: float, most: int) -> Markup:
    """A disc per value whose area is its count."""
    discs = []
    for value, count in zip(*np.unique(strip, return_counts=True), strict=True):
        tip = el("title", f"{name}: {tick_text(float(value))}, {int(count):,} times")
        radius = max(1.5, 14 * float(np.sqrt(count / most)))
        discs.append(el("circle", tip, cx=px(scale(float(value))), cy=px(y), r=px(radius), class_="s1 disc"))
    return join(*discs)


def _outline(name: str, strip: np.ndarray, scale: Scale, y: float) -> Markup:
    """Counts in even bins, mirrored about the middle of the row, the fullest bin as high as the row."""
    bins = int(np.clip(3 * np.sqrt(strip.size), 12, BINS))
    counts, edges = np.histogram(strip, bins=bins, range=(scale.low, scale.high))
    half = counts / counts.max() * (ROW / 2 - 3)
    corners = [
        (scale(float(edge)), float(height))
        for height, pair in zip(half, zip(edges, edges[1:], strict=False), strict=True)
        for edge in pair
    ]
    there = [f"{px(x)} {px(y - height)}" for x, height in corners]
    back = [f"{px(x)} {px(y + height)}" for x, height in reversed(corners)]
    return el("path", el("title", name), d=f"M{'L'.join(there + back)}z", class_="s1 disc")


def _median(strip: np.ndarray, scale: Scale, y: float) -> Markup:
    middle = float(np.median(strip))
    stroke = line(scale(middle), y - ROW / 2 + 4, scale(middle), y + ROW / 2 - 4, "median")
    return el("g", el("title", f"median {number(middle)}"), stroke)
