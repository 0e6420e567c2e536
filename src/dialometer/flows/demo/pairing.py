"""Scores of conversations by opener, so that what different bots or partners made of the same one can be set side by side."""

from __future__ import annotations

import numpy as np

from dialometer.contracts.score import ScoreResult
from dialometer.core.types import Dialogue
from dialometer.data import open_items

COLUMNS = ("hybrid", "autojudge")
ByOpener = dict[str, dict[str, dict[str, float]]]


def by_opener(report: ScoreResult, dialogues: str) -> ByOpener:
    """Column → bot → opener → mean over the scored replies of its conversation."""
    talks = [item for item in open_items(dialogues) if isinstance(item, Dialogue)]
    place = {reply.id: (talk.system, reply.group) for talk in talks for reply in talk.examples()}
    scores = report.scores()
    found: ByOpener = {}
    for column in (name for name in COLUMNS if name in scores.columns):
        values: dict[tuple[str, str], list[float]] = {}
        for item, value in zip(scores.items, scores.columns[column].tolist(), strict=True):
            if value == value:
                values.setdefault(place[item], []).append(value)
        own = found[column] = {bot: {} for bot in report.cells}
        for (bot, opener), several in values.items():
            own[bot][opener] = float(np.mean(several))
    return found


def paired(a: dict[str, float], b: dict[str, float]) -> tuple[np.ndarray, np.ndarray]:
    """The values of two sides for the openers that both have."""
    both = [opener for opener in a if opener in b]
    return np.array([a[opener] for opener in both]), np.array([b[opener] for opener in both])
