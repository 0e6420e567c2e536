"""Conversations turn by turn: those that people rate highest and lowest, and those of systems that a factor tells apart."""

from __future__ import annotations

from typing import Any

import numpy as np

from dialometer.data.tables.systems import read_systems
from dialometer.flows.meta.study import Study
from dialometer.flows.shared.trajectories.ends import ends
from dialometer.flows.shared.trajectories.groups import grouped
from dialometer.flows.shared.trajectories.paths import paths
from dialometer.flows.shared.trajectories.replies import Replies


def turn_by_turn(study: Study, quality: str, systems: str, *, seed: int) -> list[dict[str, Any]]:
    """A grouping after another: the ends of the main quality, then each factor of the file of systems."""
    replies = study.columns.replies
    if replies is None or not replies.columns:
        return []
    return [_ends(study, replies, quality, seed), *_factors(study, replies, systems)]


def _ends(study: Study, replies: Replies, quality: str, seed: int) -> dict[str, Any]:
    there = np.isin(np.arange(len(study)), replies.talk[replies.turn > 0])  # who never gets an answer has no turns to show
    found = ends(np.where(there, study.human[quality], np.nan), study.ids, seed=seed)
    group = np.full(len(study), -1)
    group[found.high], group[found.low] = 0, 1
    by = f"highest and lowest in {quality}"
    if not len(found.high):
        return {"by": by, "groups": {}, "columns": {}, "notes": [found.note]}
    names = [f"{len(found.high)} highest in {quality}", f"{len(found.low)} lowest in {quality}"]
    return paths(replies, group, names, by=by, notes=[found.note])


def _factors(study: Study, replies: Replies, systems: str) -> list[dict[str, Any]]:
    if not systems:
        return []
    told = read_systems(systems)
    names = [study.systems[number] for number in study.system]
    made = []
    for factor in told.names:
        group, levels, note = grouped([told.factors.get(name, {}).get(factor, "") for name in names])
        made.append(paths(replies, group, [f"{factor} {level}" for level in levels], by=factor, notes=[note]))
    return made
