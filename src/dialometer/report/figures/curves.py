"""Curves of a correlation against a setting (D'Haro et al. 2019, figures 1 and 2, table 2)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from dialometer.report.figures.figure import BLUE, GREEN, ORANGE, figure


def curve(
    path: Path,
    values: Sequence[float],
    lines: Mapping[str, Sequence[float]],
    *,
    setting: str,
    title: str,
    chosen: float | None = None,
    logarithmic: bool = False,
) -> None:
    """One line per name over the values of a setting; the chosen value is marked."""
    with figure(path, title=title) as (axis,):
        for (name, heights), colour in zip(lines.items(), (BLUE, ORANGE, GREEN), strict=False):
            axis.plot(values, heights, marker="o", markersize=4, color=colour, label=name)
        if logarithmic:
            axis.set_xscale("log")
        axis.set_xticks(list(values), [f"{value:g}" for value in values], fontsize=8, rotation=45 if len(values) > 9 else 0)
        axis.minorticks_off()
        if chosen is not None:
            axis.axvline(chosen, color="black", linewidth=0.8, linestyle=":", label=f"chosen: {chosen:g}")
        axis.set_xlabel(setting)
        axis.set_ylabel("Pearson correlation")
        axis.legend(fontsize=8, frameon=False)
