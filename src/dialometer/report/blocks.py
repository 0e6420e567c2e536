"""What a report is made of: sections of blocks, and the items behind the points. Plain values; ``report.page`` draws them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

import numpy as np

Tone = Literal["plain", "good", "caution", "bad"]


@dataclass(frozen=True)
class Interval:
    """A number with what surrounds it; NaN where there is none."""

    value: float
    low: float = float("nan")
    high: float = float("nan")
    p: float = float("nan")


Cell = str | int | float | bool | Interval | None


@dataclass(frozen=True)
class Text:
    """Paragraphs; the tone colours the edge."""

    paragraphs: Sequence[str]
    tone: Tone = "plain"


@dataclass(frozen=True)
class Table:
    """A table, also written as ``tables/<name>.csv`` and ``.tex``."""

    name: str
    header: Sequence[str]
    rows: Sequence[Sequence[Cell]]
    caption: str = ""
    notes: Sequence[str] = ()
    folded: bool = False  # behind a click on the page
    by_row: bool = False  # decimals suit each row, as where every row is another metric


@dataclass(frozen=True)
class Scatter:
    """One point per item; a click shows it. NaN pairs are left out; ``jitter`` is the spread of noise on x, for the eye only."""

    name: str
    x_label: str
    y_label: str
    items: Sequence[int]  # rows of ``Page.items``
    x: np.ndarray
    y: np.ndarray
    caption: str = ""
    jitter: float = 0.0


@dataclass(frozen=True)
class HeatMap:
    """A matrix of numbers as coloured cells; ``marks`` are short texts such as stars."""

    name: str
    rows: Sequence[str]
    columns: Sequence[str]
    values: np.ndarray
    caption: str = ""
    low: float = -1.0
    high: float = 1.0
    marks: Sequence[Sequence[str]] = ()
    folded: bool = False  # behind a click on the page


@dataclass(frozen=True)
class Dots:
    """A row per name: a dot with a thick (inner) and a thin (outer) interval."""

    name: str
    labels: Sequence[str]
    values: Sequence[float]
    outer: Sequence[tuple[float, float]]
    inner: Sequence[tuple[float, float]] = ()
    x_label: str = ""
    caption: str = ""
    zero: bool = False  # the axis has 0 on it, wherever the dots are


@dataclass(frozen=True)
class Labelled:
    """A cloud of few, named points, such as systems: both means with their intervals."""

    name: str
    labels: Sequence[str]
    x: Sequence[Interval]
    y: Sequence[Interval]
    x_label: str = ""
    y_label: str = ""
    caption: str = ""


@dataclass(frozen=True)
class LineChart:
    """Curves over a setting, with bands where ``low`` and ``high`` are given; ``counts`` are the cases behind each point."""

    name: str
    x: Sequence[float]
    series: Mapping[str, Sequence[Interval]]
    x_label: str = ""
    y_label: str = ""
    caption: str = ""
    logarithmic: bool = False  # the x axis
    counts: Mapping[str, Sequence[int]] = field(default_factory=dict)
    folded: bool = False  # behind a click on the page


@dataclass(frozen=True)
class Strips:
    """One strip of values per name, such as the ratings of each rater; ``mark`` is a value that is drawn across all of them."""

    name: str
    strips: Mapping[str, np.ndarray]
    x_label: str = ""
    caption: str = ""
    mark: tuple[str, float] | None = None  # what it is, and where


@dataclass(frozen=True)
class Examples:
    """Items shown in full, each with a remark."""

    name: str
    items: Sequence[int]
    remarks: Sequence[str] = ()
    caption: str = ""


@dataclass(frozen=True)
class Links:
    """Files beside the page: relative address → what is found there."""

    targets: Mapping[str, str]


Block = Text | Links | Table | Scatter | HeatMap | Dots | Labelled | LineChart | Strips | Examples


@dataclass(frozen=True)
class Section:
    """A heading and its blocks."""

    title: str
    blocks: Sequence[Block]
    lead: str = ""


@dataclass(frozen=True)
class Item:
    """What a click on a point shows."""

    id: str
    system: str
    turns: Sequence[tuple[str, str]]  # speaker and text of the context, or of the whole dialogue
    response: str = ""
    references: Sequence[str] = ()
    scores: Mapping[str, float] = field(default_factory=dict)
    ratings: Mapping[str, Sequence[float]] = field(default_factory=dict)


@dataclass(frozen=True)
class Page:
    """A whole report."""

    title: str
    sections: Sequence[Section]
    items: Sequence[Item] = ()
    recipes: Mapping[str, str] = field(default_factory=dict)
    versions: Mapping[str, str] = field(default_factory=dict)
    summary: Sequence[str] = ()
    tones: Sequence[Tone] = ()  # of the summary's sentences, in order; those without one are plain
