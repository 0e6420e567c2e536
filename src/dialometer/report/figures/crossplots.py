"""Sentence-level cross-plots of a few systems: each metric, and raters among themselves, against ratings (figure 3 there)."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import numpy as np

from dialometer.report.figures.figure import BLUE, GREEN, ORANGE, figure

Cloud = tuple[np.ndarray, np.ndarray]  # human scores, and what is set against them


def crossplots(path: Path, systems: Mapping[str, Mapping[str, Cloud]], *, title: str, human: str) -> None:
    """One panel per system; in each, a cloud and a fitted line per series, with Pearson's r in the legend.

    Series have scales of their own, so each is drawn by its standard score within the panel.
    """
    with figure(path, columns=len(systems), width=3.9, height=4.3, title=title) as axes:
        for axis, (system, series) in zip(axes, systems.items(), strict=True):
            looks = zip(series.items(), (GREEN, ORANGE, BLUE), "+^o", strict=False)
            for (name, (people, values)), colour, marker in looks:
                height = (values - values.mean()) / (values.std() or 1)
                face = {} if marker == "+" else {"facecolors": "none"}
                r = np.corrcoef(people, values)[0, 1] if people.std() and values.std() else float("nan")
                axis.scatter(
                    people, height, s=16, marker=marker, color=colour if marker == "+" else None,
                    edgecolors=None if marker == "+" else colour, linewidths=0.7, alpha=0.6, label=f"{name}  r = {r:.2f}", **face,
                )  # fmt: skip
                if people.std():
                    line = np.polyfit(people, height, 1)
                    ends = np.array([people.min(), people.max()])
                    axis.plot(ends, np.polyval(line, ends), color=colour, linewidth=1.2)
            axis.set_title(f"{system} (n = {len(next(iter(series.values()))[0])})", fontsize=9)
            axis.set_xlabel(human)
            axis.legend(fontsize=7, frameon=False, loc="upper center", bbox_to_anchor=(0.5, -0.17), ncols=1)
        axes[0].set_ylabel("standard score in the panel")
