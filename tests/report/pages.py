"""A small page with one block of every kind, and ways to look into a page that was written."""

import base64
import gzip
import json
import re

import numpy as np

from dialometer.report.blocks import (
    Dots,
    Examples,
    HeatMap,
    Interval,
    Item,
    Labelled,
    LineChart,
    Page,
    Scatter,
    Section,
    Strips,
    Table,
    Text,
)

NAN = float("nan")
EVIL = """</script><script>window.hacked = 1</script><img src=x onerror="window.hacked = 1">&amp;'"""


def items(n=12):
    """Items of two systems; neighbours share a context."""
    return [
        Item(
            f"item-{k}",
            ("parrot", "sage")[k % 2],
            [
                ("user", f"question {k // 2}"),
                ("bot", "well"),
                ("user", "and now?"),
                ("bot", "hm"),
                ("user", f"tell me {k // 2}"),
            ],
            f"answer number {k}",
            [f"reference {k // 2}-{j}" for j in range(5)],
            {"bleu": k / n, "length": NAN if k == 3 else float(k)},
            {"overall": [1 + k % 5, 2, NAN], "fluency": []},
        )
        for k in range(n)
    ]


def table():
    """Text, numbers, intervals, gaps."""
    rows = [
        ["bleu", 12, Interval(0.25, 0.1, 0.4, 0.0004), 0.5, True],
        ["length", 11, Interval(-0.125, -0.3, NAN), NAN, False],
        ["α_50% & more", None, Interval(NAN), 12.5, True],
    ]
    return Table("main table", ["metric", "n", "r", "share", "kept"], rows, "Correlation with 50% of raters", ["ρ ≥ 0.3"])


def every_block(n=12):
    """A section list with one block of every kind."""
    up = np.arange(n) / n
    down = np.where(np.arange(n) == 3, NAN, np.arange(n, dtype=float))
    few = [Interval(0.2, 0.1, 0.3), Interval(0.4), Interval(NAN)]
    return [
        Section("First", [Text(["plain words"]), Text(["mind this"], "caution"), table()], "What comes first"),
        Section("Plots", [Scatter("cloud", "people", "length", range(n), up, down, "a cloud", 0.02)]),
        Section(
            "Charts",
            [
                HeatMap(
                    "heat", ["a", "b"], ["x", "y"], np.array([[0.5, NAN], [-0.9, 0.0]]), "heat", marks=[["*", ""], ["", ""]]
                ),
                Dots("dots", ["one", "two"], [0.2, NAN], [(0.1, 0.3), (NAN, NAN)], [(0.15, 0.25), (NAN, NAN)], "r", "dots"),
                Labelled("systems", ["p", "q", "r"], few, few[::-1], "x", "y", "few"),
                LineChart("lines", [1, 10, 100], {"a": few, "b": few[::-1]}, "n", "power", "curves"),
                LineChart("turns", [1, 2, 3], {"a": few}, "turn", "words", "by turn", counts={"a": [9, 4, 0]}, folded=True),
                Strips("strips", {"r1": np.array([1, 2, 2, NAN]), "r2": np.array([])}, "rating", "strips"),
            ],
        ),
        Section("Examples", [Examples("cases", [0, 5], ["look here"], "some cases")]),
    ]


def page(n=12, **more):
    """A whole page."""
    given = {
        "items": items(n),
        "recipes": {"bleu": "bleu|order:4|v:1"},
        "versions": {"dialometer": "0"},
        "summary": ["It works.", "It does not."],
        "tones": ["good"],
    }
    return Page("A report", every_block(n), **(given | more))


def unpacked(html):
    """The data inside a page."""
    found = re.search(r'<script type="application/octet-stream;base64" id="items">([^<]*)</script>', html)
    return json.loads(gzip.decompress(base64.b64decode(found[1])))
