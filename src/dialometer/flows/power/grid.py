"""A grid of powers as a table and as a picture."""

from __future__ import annotations

import csv
import io
from pathlib import Path
from typing import Any

from dialometer.report.figures.power import powers


def grid_csv(found: dict[str, Any]) -> bytes:
    """Every cell of the grids."""
    out = io.StringIO()
    sheet = csv.writer(out, lineterminator="\n")
    sheet.writerow(["about", "items", "raters", "power", "low", "high", "method"])
    for about in ("systems", "metrics"):
        for cell in found[about]["cells"] if found[about] else ():
            numbers = [f"{cell[key]:.4f}" for key in ("power", "low", "high")]
            sheet.writerow([about, cell["items"], cell["raters"] or "", *numbers, cell["method"]])
    return out.getvalue().encode()


def draw_grid(path: Path, found: dict[str, Any]) -> None:
    """Power over items, a line per number of raters or pair of metrics."""
    panels: dict[str, dict[str, list[tuple[int, float, float, float]]]] = {}
    for about in ("systems", "metrics"):
        for cell in found[about]["cells"] if found[about] else ():
            k = cell["raters"]
            where = "items per system" if about == "systems" else "items"
            name = f"{k} rater{'s' * (k > 1)}" if k else f"{found[about]['a']}\nor {found[about]['b']}"
            point = (cell["items"], cell["power"], cell["low"], cell["high"])
            panels.setdefault(where, {}).setdefault(name, []).append(point)
    powers(path, panels, goal=found["goal"], title=f"Power to find a difference in {found['quality']}")
