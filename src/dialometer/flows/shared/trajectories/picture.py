"""Pictures of conversations turn by turn: a line per group with its 90% band, and the conversations behind every turn."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from dialometer.report.blocks import Block, Interval, Lines, Section, Text

OPEN = 6  # pictures in the open: those that part the groups most; the others are a click away
LEAST, SHARE = 5, 0.1  # conversations behind a point, and their share of the most at any turn; ``--json`` has them all
X_LABEL = "reply of the system, in order"
LEAD = (
    "Means over conversations at each reply of the system, with 90% intervals: Student's t over the conversations that get so far, "
    "whose number is beneath each turn. A conversation that has ended is missing from then on."
)


def path_sections(found: Sequence[Mapping[str, Any]]) -> list[Section]:
    """A section per grouping; nothing where there is nothing to draw."""
    return [Section(f"Turn by turn: {one['by']}", _blocks(one), LEAD) for one in found if one["columns"] or one["notes"]]


def _blocks(found: Mapping[str, Any]) -> list[Block]:
    if not found["columns"]:
        return [Text(found["notes"])]
    counted = ", ".join(_counted(name, count) for name, count in found["groups"].items())
    pictures = [_picture(found, name, place >= OPEN) for place, name in enumerate(found["columns"])]
    return [Text([f"Conversations: {counted}.", *found["notes"]]), *pictures]


def _counted(name: str, count: int) -> str:
    """A group and how many it is; some say so in their name."""
    return name if name.startswith(f"{count} ") else f"{name}: {count}"


def _picture(found: Mapping[str, Any], name: str, folded: bool) -> Lines:
    """One column; a line ends where fewer conversations are left than a point should rest on."""
    column = found["columns"][name]
    seen = {group: _seen(part["n"]) for group, part in column["groups"].items()}
    last = max((place + 1 for own in seen.values() for place, there in enumerate(own) if there), default=0)
    series = {
        group: [
            Interval(*(part[key][place] if seen[group][place] else math.nan for key in ("mean", "low", "high")))
            for place in range(last)
        ]
        for group, part in column["groups"].items()
    }
    counts = {group: part["n"][:last] for group, part in column["groups"].items()}
    parted = column["parting"]
    told = "" if math.isnan(parted) else f": {100 * parted:.0f}% of the variance of conversations lies between the groups"
    x_label = X_LABEL + " (0: the turn it opened with)" * (0 in column["turns"])
    return Lines(
        f"turns-{found['by']}-{name}", column["turns"][:last], series, x_label, name, f"{name}{told}", counts=counts,
        folded=folded,
    )  # fmt: skip


def _seen(n: Sequence[int]) -> list[bool]:
    """Which turns are drawn: from the first that rests on enough conversations (of a small group on all) to the last in a row."""
    most = max(n, default=0)
    enough = [count >= max(1, min(LEAST, most), SHARE * most) for count in n]
    start = enough.index(True) if True in enough else len(n)
    end = next((place for place in range(start, len(n)) if not enough[place]), len(n))
    return [start <= place < end for place in range(len(n))]
