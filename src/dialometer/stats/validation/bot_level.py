"""Bot level: the mean score and the mean rating of each bot, and their correlation.

The bots are the sample. p is exact over all orders of the bots (up to EXACT of them), valid for scores that are independent of
these ratings; of scores by leave-bot-out, ``whole_null`` gives it. The interval is Fisher's below 20 bots (``system_level`` says
why), and a bootstrap over bots is given beside it. With fewer than four bots there is no verdict.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from dialometer.stats.correlation.correlate import COEFFICIENTS, KINDS, NAN, Correlation, correlate
from dialometer.stats.correlation.system_level import LEAST, fisher_interval
from dialometer.stats.correlation.weighted import level_out
from dialometer.stats.means import Mean, system_means
from dialometer.stats.testing.permutation import exact_p

EXACT = 12  # bots up to which all orders are counted: two halves of six


@dataclass(frozen=True)
class BotMeans:
    """One bot: its dialogues, mean rating and mean score."""

    system: str
    n: int
    human: Mean
    score: Mean


@dataclass(frozen=True)
class Together(Correlation):
    """A correlation over bots, with the ends of a bootstrap over bots beside Fisher's."""

    drawn_low: float = NAN
    drawn_high: float = NAN


def bots(scores: np.ndarray, human: np.ndarray, systems: Sequence[str] | np.ndarray) -> list[BotMeans]:
    """A row per system, over the dialogues that have both numbers; dialogues are taken as independent.

    >>> [(bot.system, bot.n, bot.human.mean) for bot in bots(np.array([1.0, 2, 3]), np.array([4.0, 6, 5]), ["b", "b", "a"])]
    [('a', 1, 5.0), ('b', 2, 5.0)]
    """
    unknown = np.isnan(scores) | np.isnan(human)
    sides = [system_means(np.where(unknown, np.nan, side), systems, levels=(0.95,)) for side in (human, scores)]
    return [BotMeans(name, own.n, own, sides[1][name]) for name, own in sides[0].items()]


def over_bots(
    score: np.ndarray, human: np.ndarray, *, kinds: Sequence[str] = KINDS, resamples: int = 1000, seed: int = 0
) -> dict[str, Together]:
    """Correlations of the bots' means by kind; NaN below four bots or where a side does not vary."""
    rows = ~(np.isnan(score) | np.isnan(human))
    x, y = level_out(score[rows]), level_out(human[rows])
    return {kind: _together(x, y, kind, resamples, seed) for kind in kinds}


def _together(x: np.ndarray, y: np.ndarray, kind: str, resamples: int, seed: int) -> Together:
    r = COEFFICIENTS[kind](x, y) if len(x) >= LEAST else NAN
    if r != r:
        return Together(NAN, NAN, NAN, NAN, len(x))
    drawn = correlate(x, y, kind=kind, resamples=resamples, seed=seed)
    p, test = (float(exact_p([x], y, kind)[0]), "exact") if len(x) <= EXACT else (drawn.p, drawn.test)
    return Together(r, p, *fisher_interval(r, len(x), kind), len(x), test, drawn.low, drawn.high)
