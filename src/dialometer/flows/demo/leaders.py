"""Who leads by a score, and whom it clearly leaves behind: every two bots are tested, since who is first was not known before."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import combinations
from typing import Any

import numpy as np

from dialometer.flows.demo.pairing import ByOpener, paired
from dialometer.stats.testing.contrasts import paired_contrast
from dialometer.stats.testing.multiple import holm

ALPHA = 0.05


def leads(sides: Mapping[str, ByOpener], *, seed: int) -> dict[str, dict[str, dict[str, Any]]]:
    """Column → side → the bot with the highest mean over openers, the mean, and the bots that it is not told apart from.

    Every two bots are paired by opener; p is adjusted over all pairs of both sides (Holm).
    """
    found: dict[str, dict[str, dict[str, Any]]] = {}
    for column in next(iter(sides.values())):
        talked = {side: {bot: own for bot, own in tables[column].items() if own} for side, tables in sides.items()}
        pairs = [(side, *two) for side, bots in talked.items() for two in combinations(bots, 2)]
        tests = [paired_contrast(*paired(talked[side][a], talked[side][b]), resamples=0, seed=seed) for side, a, b in pairs]
        adjusted = holm(np.array([test.p for test in tests])).tolist()
        ahead = set[tuple[str, str, str]]()
        for (side, a, b), test, p in zip(pairs, tests, adjusted, strict=True):
            if p <= ALPHA:
                ahead.add((side, a, b) if test.difference > 0 else (side, b, a))
        found[column] = {side: _first(side, bots, ahead) for side, bots in talked.items() if len(bots) > 1}
    return found


def _first(side: str, bots: Mapping[str, Mapping[str, float]], ahead: set[tuple[str, str, str]]) -> dict[str, Any]:
    means = {bot: float(np.mean(list(own.values()))) for bot, own in bots.items()}
    first = max(means, key=lambda bot: means[bot])
    behind = sorted((bot for bot in means if bot != first), key=lambda bot: -means[bot])
    return {
        "first": first,
        "mean": means[first],
        "not_told_from": [bot for bot in behind if (side, first, bot) not in ahead],
    }
