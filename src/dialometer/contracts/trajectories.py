"""Dialogues turn by turn, as ``meta`` and ``compare`` report them: means of replies per group of dialogues."""

from __future__ import annotations

from dialometer.contracts.result import Annotated, Record, doc


class TurnMeans(Record, frozen=True):
    """One group of dialogues: a number per turn."""

    n: Annotated[list[int], doc("dialogues behind each mean")]
    mean: Annotated[list[float | None], doc("mean over dialogues")]
    low: Annotated[list[float | None], doc("lower end of the 90% interval")]
    high: Annotated[list[float | None], doc("upper end of the 90% interval")]


class TurnCurves(Record, frozen=True):
    """One column by turn and group."""

    parting: Annotated[float | None, doc("η²: share of the variance of dialogue means that lies between the groups")]
    turns: Annotated[list[int], doc("numbers of the replies; 0 is an opening turn of the system")]
    groups: Annotated[dict[str, TurnMeans], doc("means by group")]


class Trajectories(Record, frozen=True):
    """One grouping of the dialogues."""

    by: Annotated[str, doc("what the dialogues are grouped by")]
    groups: Annotated[dict[str, int], doc("dialogues per group")]
    columns: Annotated[dict[str, TurnCurves], doc("columns, votes first, then by how far they separate the groups")]
    notes: Annotated[list[str], doc("remarks about the grouping")]
