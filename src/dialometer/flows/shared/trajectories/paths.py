"""Groups of dialogues turn by turn: means with 90% intervals, and the number of dialogues behind each."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from dialometer.contracts.result import number
from dialometer.contracts.trajectories import Trajectories, TurnCurves, TurnMeans
from dialometer.flows.shared.records import numbers
from dialometer.flows.shared.trajectories.replies import VOTE, Replies
from dialometer.stats.trajectory import parting, trajectory


def paths(replies: Replies, group: np.ndarray, names: Sequence[str], *, by: str, notes: Sequence[str] = ()) -> Trajectories:
    """Every column of replies by turn, for groups of dialogues: ``group`` has a number per dialogue, −1 for none.

    Votes come first, then columns by how far they separate the groups (η² of the dialogues' means); a column that never varies
    is named, and left out.
    """
    groups = group[replies.dialogue]
    counts = [len(np.unique(replies.dialogue[groups == place])) for place in range(len(names))]
    curves = {name: _curves(replies, values, groups, names) for name, values in replies.columns.items()}
    constant = [name for name in curves if _constant(replies.columns[name][groups >= 0])]
    drawn = {name: column for name, column in curves.items() if len(column.turns) > 1 and name not in constant}
    note = f"The same in every reply, and not drawn: {', '.join(constant)}." if constant else ""
    order = sorted(drawn, key=lambda name: (name != VOTE, -_or_least(drawn[name].parting)))
    return Trajectories(
        by=by,
        groups=dict(zip(names, counts, strict=True)),
        columns={name: drawn[name] for name in order},
        notes=[text for text in (*notes, note) if text],
    )


def _or_least(value: float | None) -> float:
    return -1.0 if value is None else value


def _constant(values: np.ndarray) -> bool:
    known = values[~np.isnan(values)]
    return bool(len(known)) and bool(np.isclose(known.min(), known.max(), rtol=1e-9, atol=1e-12))


def _curves(replies: Replies, values: np.ndarray, group: np.ndarray, names: Sequence[str]) -> TurnCurves:
    table = trajectory(replies.dialogue, replies.turn, values, group, groups=len(names))
    sides = {"mean": table.mean, "low": table.low, "high": table.high}
    return TurnCurves(
        parting=number(parting(replies.dialogue, values, group)),
        turns=table.turns.tolist(),
        groups={
            name: TurnMeans(n=table.n[row].tolist(), **{key: numbers(side[row].tolist()) for key, side in sides.items()})
            for row, name in enumerate(names)
        },
    )
