"""Curves of power over the size of a study, with the simulation's band and the line of what is aimed at."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from dialometer.report.figures.figure import BLUE, GREEN, GREY, ORANGE, figure

COLOURS = (BLUE, ORANGE, GREEN, "#8e5aa8", "#b5382f", GREY)
Point = tuple[int, float, float, float]  # items, power, low, high


def powers(path: Path, panels: Mapping[str, Mapping[str, Sequence[Point]]], *, goal: float, title: str) -> None:
    """One panel per question, one curve per name; a study of few items stands close to one of many, so x is logarithmic."""
    with figure(path, columns=len(panels), title=_plain(title)) as axes:
        for axis, (x_label, curves) in zip(axes, panels.items(), strict=True):
            for number, (name, points) in enumerate(curves.items()):
                x, y, low, high = zip(*points, strict=True)
                colour = COLOURS[number % len(COLOURS)]
                axis.fill_between(x, low, high, color=colour, alpha=0.18, linewidth=0)
                style = "-" if number < len(COLOURS) else "--"
                axis.plot(x, y, style, marker="o", markersize=3.5, color=colour, label=_plain(name))
            axis.axhline(goal, color="black", linewidth=0.8, linestyle=":")
            axis.text(0.01, goal, f"{goal:.0%}", transform=axis.get_yaxis_transform(), fontsize=7, va="bottom")
            axis.set_xscale("log")
            ticks = sorted({point[0] for points in curves.values() for point in points})
            axis.set_xticks(ticks, [f"{tick:,}" for tick in ticks], fontsize=8, rotation=45 if len(ticks) > 7 else 0)
            axis.minorticks_off()
            axis.set_ylim(0, 1.02)
            axis.set_xlabel(x_label)
            axis.legend(fontsize=8, frameon=False, loc="center left", bbox_to_anchor=(1.0, 0.5))
        axes[0].set_ylabel("power")


def _plain(text: str) -> str:
    """A name as it is: matplotlib takes dollars for formulas and hides what begins with an underscore."""
    shown = text.replace("$", r"\$")
    return f" {shown}" if shown.startswith("_") else shown
