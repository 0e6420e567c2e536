"""Curves of a policy: the return, and measures that the reward does not include."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from dialometer.report.figures.figure import BLUE, GREEN, GREY, ORANGE, figure

SMOOTH = 0.8  # of the thick line: what is left of the step before
SHARES = {"empty": ORANGE, "repeated": GREEN, "universal": BLUE}
Records = Sequence[Mapping[str, float]]


def reward_curves(path: Path, records: Records, *, title: str, stopping_step: int = 0, others: Sequence[str] = ()) -> None:
    """Return; distinct-n; degenerate replies; perplexity and words; other judges. A dotted line at early stopping."""
    columns = 4 + bool(others)
    with figure(path, columns=columns, width=3.3, height=2.9, title=title) as axes:
        _lines(axes[0], records, {"return": BLUE}, "return of an episode")
        _lines(axes[1], records, {"distinct-1": ORANGE, "distinct-2": BLUE}, "distinct-n")
        _lines(axes[2], records, SHARES, "share of replies")
        axes[2].set_ylim(-0.03, 1.03)
        _lines(axes[3], records, {"perplexity": ORANGE, "words": GREEN}, "perplexity when frozen; words")
        axes[3].set_yscale("symlog", linthresh=1)
        if others:
            _lines(axes[4], records, dict(zip(others, (BLUE, ORANGE, GREEN, GREY), strict=False)), "another judge")
        for axis in axes:
            axis.set_xlabel("step")
            if stopping_step:
                axis.axvline(stopping_step, color="black", linewidth=0.8, linestyle=":")


def reward_arms(path: Path, arms: Mapping[str, Sequence[Records]], measures: Sequence[str], *, title: str) -> None:
    """A panel per measure, a colour per arm, a line per seed."""
    colours = (BLUE, ORANGE, GREEN, GREY, "#8d5fb3", "#b5483a")
    with figure(path, columns=len(measures), width=3.3, height=2.9, title=title) as axes:
        for axis, measure in zip(axes, measures, strict=True):
            for (arm, runs), colour in zip(arms.items(), colours, strict=False):
                for number, records in enumerate(runs):
                    values = smooth([record.get(measure, float("nan")) for record in records])
                    label = arm if number == 0 else None
                    axis.plot(range(1, len(values) + 1), values, color=colour, linewidth=1, label=label)
            axis.set_title(measure, fontsize=9)
            axis.set_xlabel("step")
            if measure == "perplexity":
                axis.set_yscale("log")  # an arm that breaks down has ten thousand times the others'
        axes[0].legend(fontsize=7, frameon=False)


def smooth(values: Sequence[float]) -> list[float]:
    """A moving average that forgets; what is not a number leaves it as it is.

    >>> smooth([1.0, float("nan"), 2.0])
    [1.0, 1.0, 1.2]
    """
    level, out = float("nan"), []
    for value in values:
        if value == value:
            level = value if level != level else round(SMOOTH * level + (1 - SMOOTH) * value, 12)
        out.append(level)
    return out


def _lines(axis: Any, records: Records, names: Mapping[str, str], label: str) -> None:
    steps = range(1, len(records) + 1)
    for name, colour in names.items():
        values = [record.get(name, float("nan")) for record in records]
        axis.plot(steps, values, color=colour, linewidth=0.6, alpha=0.4)
        axis.plot(steps, smooth(values), color=colour, linewidth=1.4, label=name)
    axis.set_title(label, fontsize=9)
    if len(names) > 1 or label == "another judge":
        axis.legend(fontsize=7, frameon=False)
