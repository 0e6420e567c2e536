"""Style sheets and scripts of the page, and how a drawing becomes part of it or a file of its own."""

from __future__ import annotations

import re
from functools import cache
from importlib.resources import files

from dialometer.report.charts.svg import Drawing
from dialometer.report.html.escape import Markup, el, px

SHEETS = ("page", "parts", "chart", "narrow")
SCRIPTS = (
    "unpack",
    "items",
    "panel",
    "axes",
    "points",
    "keys",
    "legend",
    "scatter",
    "table",
    "search",
    "contents",
    "start",
)
FONT = "system-ui, -apple-system, 'Segoe UI', Roboto, 'Noto Sans', sans-serif"
SMALLEST = 0.72  # of its size, before a chart scrolls sideways instead


@cache
def asset(name: str) -> str:
    """A file of ``report/assets``."""
    return files("dialometer.report").joinpath("assets", name).read_text(encoding="utf-8")


@cache
def css() -> str:
    """The whole style: colours of both themes, then the rules; paper is always light."""
    light, dark = asset("light.css"), asset("dark.css")
    themes = (
        f":root{{{light}}}\n"
        f"@media (prefers-color-scheme: dark){{:root:not([data-theme=light]){{{dark}}}}}\n"
        f":root[data-theme=dark]{{{dark}}}\n"
        f"@media print{{:root,:root:not([data-theme=light]),:root[data-theme=dark]{{{light}}}}}\n"
    )
    return themes + "\n".join(asset(f"{name}.css") for name in SHEETS)


@cache
def script() -> str:
    """All scripts as one, strict and without global names."""
    return '(() => {\n"use strict";\n' + "\n".join(asset(f"{name}.js") for name in SCRIPTS) + "\n})();\n"


@cache
def colours(theme: str) -> dict[str, str]:
    """The variables of a theme."""
    return dict(re.findall(r"--([\w-]+):\s*([^;]+);", asset(f"{theme}.css")))


def inline(drawing: Drawing, kind: str = "") -> Markup:
    """A drawing in the page, never wider than its natural size; one of a kind fits any screen, another scrolls when too small."""
    least = "" if kind else f";min-width:{px(drawing.width * SMALLEST)}px"
    return _svg(drawing, drawing.body, class_=f"chart {kind}".rstrip(), style=f"width:{px(drawing.width)}px{least}")


def standalone(drawing: Drawing) -> str:
    """A drawing as a file: the light colours written out, since not every program supports CSS variables."""
    light = colours("light")
    rules = re.sub(r"var\(--([\w-]+)\)", lambda found: light[found[1]], asset("chart.css"))
    style = el("style", Markup(f"\n.chart{{font-family:{FONT}}}\n{rules}"))
    size = {"width": px(drawing.width), "height": px(drawing.height)}
    made = _svg(drawing, Markup(style + drawing.body), class_="chart", xmlns="http://www.w3.org/2000/svg", **size)
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{made}\n'


def _svg(drawing: Drawing, body: Markup, **more: str) -> Markup:
    box = f"0 0 {px(drawing.width)} {px(drawing.height)}"
    return el("svg", el("title", drawing.title), body, viewBox=box, role="img", **more)
