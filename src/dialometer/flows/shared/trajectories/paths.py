"""What groups of conversations do turn by turn, as plain values: means with 90% intervals, and the conversations behind each."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from dialometer.flows.shared.trajectories.replies import VOTE, Replies
from dialometer.stats.trajectory import parting, trajectory


def paths(
    replies: Replies, group: np.ndarray, names: Sequence[str], *, by: str, notes: Sequence[str] = ()
) -> dict[str, Any]:
    """Every column of replies by turn, for groups of conversations: ``group`` has a number per conversation, −1 for none.

    Votes come first, then columns by how far they part the groups (η² of the conversations' means); one that never varies is
    named, and left out.
    """
    own = group[replies.talk]
    talks = [len(np.unique(replies.talk[own == number])) for number in range(len(names))]
    found = {name: _column(replies, values, own, names) for name, values in replies.columns.items()}
    flat = [name for name in found if _flat(replies.columns[name][own >= 0])]
    there = {name: column for name, column in found.items() if len(column["turns"]) > 1 and name not in flat}
    still = f"The same in every reply, and not drawn: {', '.join(flat)}." if flat else ""
    order = sorted(there, key=lambda name: (name != VOTE, -np.nan_to_num(there[name]["parting"], nan=-1.0)))
    return {
        "by": by,
        "groups": dict(zip(names, talks, strict=True)),
        "columns": {name: there[name] for name in order},
        "notes": [note for note in (*notes, still) if note],
    }


def _flat(values: np.ndarray) -> bool:
    seen = values[~np.isnan(values)]
    return bool(len(seen)) and bool(np.isclose(seen.min(), seen.max(), rtol=1e-9, atol=1e-12))


def _column(replies: Replies, values: np.ndarray, group: np.ndarray, names: Sequence[str]) -> dict[str, Any]:
    found = trajectory(replies.talk, replies.turn, values, group, groups=len(names))
    parts = {"n": found.n, "mean": found.mean, "low": found.low, "high": found.high}
    return {
        "parting": parting(replies.talk, values, group),
        "turns": found.turns.tolist(),
        "groups": {name: {key: part[row].tolist() for key, part in parts.items()} for row, name in enumerate(names)},
    }
