"""The replies of dialogues in their order, with their scores and the votes of users."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from dialometer.core.types import Dialogue
from dialometer.data import Item

VOTE = "vote"


@dataclass(frozen=True, eq=False)
class Replies:
    """A row per reply: the number of its dialogue, which reply it is, and its columns.

    1 is the system's first reply; 0 is the turn with which it opened the dialogue, where somebody voted on it.
    """

    dialogue: np.ndarray
    turn: np.ndarray
    columns: dict[str, np.ndarray]


def replies_of(items: Sequence[Item], ids: Sequence[str], columns: Mapping[str, np.ndarray]) -> Replies:
    """The scored replies (``<dialogue>#<turn>``) of those items that are dialogues; votes on them are one more column.

    A column that no dialogue has twice belongs to dialogues as a whole, and is left out.
    """
    place = {item.id: number for number, item in enumerate(items) if isinstance(item, Dialogue)}
    parts = [(place.get(name.rpartition("#")[0], -1), name.rpartition("#")[2]) for name in ids]
    rows = np.array([row for row, (owner, turn) in enumerate(parts) if owner >= 0 and turn.isdecimal()], np.int64)
    dialogue = np.array([parts[row][0] for row in rows], np.int64)
    index = np.array([int(parts[row][1]) for row in rows], np.int64)
    opened = np.array([number for number in place.values() if _opening(items[number])], np.int64)
    votes = [_vote(items[t], i) for t, i in zip(dialogue.tolist(), index.tolist(), strict=True)]
    votes += [_vote(items[t], 0) for t in opened.tolist()]
    turn = np.concatenate([_order(dialogue, index), np.zeros(len(opened), np.int64)])
    dialogue = np.concatenate([dialogue, opened])
    every = {VOTE: np.array(votes, float)}
    every |= {
        name: np.concatenate([np.asarray(values, float)[rows], np.full(len(opened), np.nan)])
        for name, values in columns.items()
    }
    return Replies(dialogue, turn, {name: values for name, values in every.items() if _by_turn(dialogue, values)})


def _opening(item: Item) -> bool:
    """Whether a dialogue begins with a turn of the system that has a vote."""
    return isinstance(item, Dialogue) and not np.isnan(_vote(item, 0)) and item.turns[0].speaker in item.speakers


def _vote(item: Item, index: int) -> float:
    """What a user said of a turn, as a number; words such as "good" have none."""
    if not isinstance(item, Dialogue) or index >= len(item.turns):
        return float("nan")
    vote = item.turns[index].vote
    try:
        return float("nan") if vote is None else float(vote)
    except ValueError:
        return float("nan")


def _order(dialogue: np.ndarray, index: np.ndarray) -> np.ndarray:
    """1, 2, 3 … within each dialogue, by the places of the turns."""
    order = np.lexsort((index, dialogue))
    starts = np.flatnonzero(np.diff(dialogue[order], prepend=-1))
    rank = np.empty(len(dialogue), np.int64)
    rank[order] = np.arange(len(dialogue)) - np.repeat(starts, np.diff([*starts, len(dialogue)])) + 1
    return rank


def _by_turn(dialogue: np.ndarray, values: np.ndarray) -> bool:
    return bool(np.bincount(dialogue[~np.isnan(values)]).max(initial=0) > 1)
