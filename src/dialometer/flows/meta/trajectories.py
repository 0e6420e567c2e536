"""Dialogues turn by turn: those that people rate highest and lowest, and those of systems that differ in a factor."""

from __future__ import annotations

import numpy as np

from dialometer.contracts.trajectories import Trajectories
from dialometer.data.tables.systems import read_systems
from dialometer.flows.meta.study import Study
from dialometer.flows.shared.trajectories.ends import ends
from dialometer.flows.shared.trajectories.groups import grouped
from dialometer.flows.shared.trajectories.paths import paths
from dialometer.flows.shared.trajectories.replies import Replies


def turn_by_turn(study: Study, quality: str, systems: str, *, seed: int) -> list[Trajectories]:
    """A grouping after another: the ends of the main quality, then each factor of the file of systems."""
    replies = study.columns.replies
    if replies is None or not replies.columns:
        return []
    return [_ends(study, replies, quality, seed), *_factors(study, replies, systems)]


def _ends(study: Study, replies: Replies, quality: str, seed: int) -> Trajectories:
    there = np.isin(np.arange(len(study)), replies.dialogue[replies.turn > 0])  # without a reply there is no turn to show
    chosen = ends(np.where(there, study.human[quality], np.nan), study.ids, seed=seed)
    group = np.full(len(study), -1)
    group[chosen.high], group[chosen.low] = 0, 1
    by = f"highest and lowest in {quality}"
    if not len(chosen.high):
        return Trajectories(by=by, groups={}, columns={}, notes=[chosen.note])
    names = [f"{len(chosen.high)} highest in {quality}", f"{len(chosen.low)} lowest in {quality}"]
    return paths(replies, group, names, by=by, notes=[chosen.note])


def _factors(study: Study, replies: Replies, systems: str) -> list[Trajectories]:
    if not systems:
        return []
    table = read_systems(systems)
    names = [study.systems[place] for place in study.system]
    groupings = []
    for factor in table.names:
        group, levels, note = grouped([table.factors.get(name, {}).get(factor, "") for name in names])
        groupings.append(paths(replies, group, [f"{factor} {level}" for level in levels], by=factor, notes=[note]))
    return groupings
