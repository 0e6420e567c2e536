"""Trajectories: a line per group of dialogues with its 90% band over turns, and the dialogues behind every turn."""

from __future__ import annotations

import math
from collections.abc import Sequence

from dialometer.contracts.trajectories import Trajectories
from dialometer.report.blocks import Block, Interval, LineChart, Section, Text
from dialometer.report.pages.cells import real

OPEN = 6  # pictures in the open: those that separate the groups most; the others are a click away
LEAST, SHARE = 5, 0.1  # dialogues behind a point, and their share of the most at any turn; ``--json`` has them all
X_LABEL = "reply of the system, in order"
LEAD = (
    "Means over dialogues at each reply of the system, with 90% intervals: Student's t over the dialogues that get so far, "
    "whose number is beneath each turn. A dialogue that has ended is missing from then on."
)


def path_sections(groupings: Sequence[Trajectories]) -> list[Section]:
    """A section per grouping; nothing where there is nothing to draw."""
    return [Section(f"Turn by turn: {one.by}", _blocks(one), LEAD) for one in groupings if one.columns or one.notes]


def _blocks(grouping: Trajectories) -> list[Block]:
    if not grouping.columns:
        return [Text(grouping.notes)]
    counted = ", ".join(_counted(name, count) for name, count in grouping.groups.items())
    pictures = [_picture(grouping, name, place >= OPEN) for place, name in enumerate(grouping.columns)]
    return [Text([f"Dialogues: {counted}.", *grouping.notes]), *pictures]


def _counted(name: str, count: int) -> str:
    """A group and how many it is; some say so in their name."""
    return name if name.startswith(f"{count} ") else f"{name}: {count}"


def _picture(grouping: Trajectories, name: str, folded: bool) -> LineChart:
    """One column; a line ends where fewer dialogues are left than a point should rest on."""
    column = grouping.columns[name]
    drawn = {group: _drawn(part.n) for group, part in column.groups.items()}
    last = max((place + 1 for turns in drawn.values() for place, there in enumerate(turns) if there), default=0)
    series = {
        group: [
            Interval(real(part.mean[k]), real(part.low[k]), real(part.high[k])) if drawn[group][k] else Interval(math.nan)
            for k in range(last)
        ]
        for group, part in column.groups.items()
    }
    counts = {group: part.n[:last] for group, part in column.groups.items()}
    share = (
        ""
        if column.parting is None
        else f": {100 * column.parting:.0f}% of the variance of dialogues lies between the groups"
    )
    x_label = X_LABEL + " (0: the turn it opened with)" * (0 in column.turns)
    return LineChart(
        f"turns-{grouping.by}-{name}", column.turns[:last], series, x_label, name, f"{name}{share}", counts=counts,
        folded=folded,
    )  # fmt: skip


def _drawn(n: Sequence[int]) -> list[bool]:
    """Which turns are drawn: from the first that rests on enough dialogues (of a small group on all) to the last in a row."""
    most = max(n, default=0)
    enough = [count >= max(1, min(LEAST, most), SHARE * most) for count in n]
    start = enough.index(True) if True in enough else len(n)
    end = next((place for place in range(start, len(n)) if not enough[place]), len(n))
    return [start <= place < end for place in range(len(n))]
