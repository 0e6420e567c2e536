"""The items behind the points, packed into the page: columns of JSON, zipped, as base64. Equal items give equal bytes."""

from __future__ import annotations

import base64
import gzip
from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import blake2b
from typing import Any

import numpy as np
import orjson

from dialometer.report.blocks import Item, Scatter
from dialometer.report.charts.points import PlotColumns, round_value
from dialometer.report.html.escape import clean
from dialometer.report.html.text_pool import Cut, UniqueValues, text_columns

MOST = 10_000  # items in a page
CUTS = (Cut(1500, 40), Cut(800, 30), Cut(400, 20), Cut(200, 12), Cut(100, 8), Cut(50, 4))
NOISE = 40  # steps of the jitter in one standard deviation


@dataclass(frozen=True)
class Payload:
    """What the page carries: base64 text, and which rows of the items are in it."""

    encoded: str
    rows: np.ndarray
    noise: np.ndarray  # standard normal, one per row that is kept
    cut: Cut


def everything(items: Sequence[Item]) -> Payload:
    """All items and none of their bytes: what the page would be if there were room without end."""
    return Payload("", np.arange(len(items)), jitter(len(items)), CUTS[0])


def pack(items: Sequence[Item], plots: Sequence[tuple[str, Scatter]], budget: int) -> Payload:
    """The most that fits the budget (bytes): whole texts first, then shorter ones, then fewer items."""
    if not items:
        return everything(items)
    used = np.unique(np.concatenate([np.empty(0, np.int64), *(np.asarray(plot.items, np.int64) for _, plot in plots)]))
    most = MOST
    while True:
        rows = sample(len(items), used, most)
        noise = jitter(len(rows))
        some = [items[row] for row in rows]
        numbers = _numbers(some, rows, noise, plots)
        for cut in CUTS:
            zipped = gzip.compress(orjson.dumps(numbers | text_columns(some, cut)), 9, mtime=0)
            if len(zipped) * 4 / 3 <= budget or (len(rows) == 1 and cut is CUTS[-1]):
                return Payload(base64.b64encode(zipped).decode("ascii"), rows, noise, cut)
        most = max(1, len(rows) // 2)


def sample(n: int, used: np.ndarray, most: int) -> np.ndarray:
    """At most so many rows in order, those that plots show first; which ones depends on nothing but the numbers given."""
    if n <= most:
        return np.arange(n)
    draw = np.random.default_rng(_seed("items"))
    rest = np.setdiff1d(np.arange(n), used)
    first = used if len(used) <= most else draw.choice(used, most, replace=False)
    return np.sort(np.concatenate([first, draw.choice(rest, most - len(first), replace=False)]))


def jitter(n: int) -> np.ndarray:
    """Noise for the eye, the same for an item in every plot."""
    drawn = np.random.default_rng(_seed("jitter")).standard_normal(n)
    return np.round(np.clip(drawn, -2.5, 2.5) * NOISE) / NOISE


def _seed(purpose: str) -> int:
    return int.from_bytes(blake2b(purpose.encode(), digest_size=8).digest(), "little")


def _numbers(
    items: Sequence[Item], rows: np.ndarray, noise: np.ndarray, plots: Sequence[tuple[str, Scatter]]
) -> dict[str, Any]:
    """Everything but the texts."""
    systems: UniqueValues[str] = UniqueValues()
    columns = PlotColumns(len(items))
    names = dict.fromkeys(name for item in items for name in item.scores)
    scores = {
        clean(name): columns.place(np.array([item.scores.get(name, np.nan) for item in items], float)) for name in names
    }
    drawn = {name: columns.plot(plot, rows) for name, plot in plots}
    return {
        "ids": [clean(item.id) for item in items],
        "system": [systems.place(clean(item.system)) for item in items],
        "systems": list(systems.places),
        "scores": scores,
        "plots": drawn,
        "columns": columns.lists(),
        "rows": columns.subsets(),
        "ratings": _ratings(items),
        "noise": np.round(noise * NOISE).astype(int).tolist(),
        "step": NOISE,
    }


def _ratings(items: Sequence[Item]) -> dict[str, list[list[int | float | None]]]:
    """Per quality, the ratings of each item."""
    names = dict.fromkeys(name for item in items for name in item.ratings)
    return {clean(name): [[round_value(value) for value in item.ratings.get(name, ())] for item in items] for name in names}
