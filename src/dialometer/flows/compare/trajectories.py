"""What systems do turn by turn: a line each."""

from __future__ import annotations

from typing import Any

from dialometer.flows.compare.columns import Columns
from dialometer.flows.compare.dialogues import Talks
from dialometer.flows.shared.trajectories.groups import grouped
from dialometer.flows.shared.trajectories.paths import paths


def turn_by_turn(talks: Talks, columns: Columns, against: str) -> list[dict[str, Any]]:
    """Means of replies by turn, per system; nothing where no conversation has two replies with a number."""
    if columns.replies is None or not columns.replies.columns:
        return []
    group, names, note = grouped([piece.system for piece in talks.pieces], against)
    hint = f"{note} A comparison of fewer systems draws them." if note else ""
    return [paths(columns.replies, group, names, by="systems", notes=[hint]).to_json()]
