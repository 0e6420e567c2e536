"""Strengths of systems from pairwise choices (Bradley & Terry 1952): ``P(i beats j) = π_i / (π_i + π_j)``.

A tie is half a win for each side. The fit is the MM algorithm (Hunter 2004, section 2), for all resamples at once:
``π_i ← wins_i / Σ_j n_ij / (π_i + π_j)``. Strengths are given as log π with mean 0. They exist only if, however the systems are
split into two camps, each camp has won against the other (Ford 1957); ``prior`` adds that many ties against an imagined average
system, and then they always do.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from dialometer.core.errors import NeedsError, UsageError
from dialometer.core.types import Preferences
from dialometer.stats.resample import bootstrap_weights, percentile_interval, seed_for

STEPS = 20_000
RESCUE = 0.5  # ties against the average in a resample that has no strengths of its own


@dataclass(frozen=True)
class Strength:
    """A system's log strength, its interval, and the choices it took part in."""

    system: str
    strength: float
    low: float
    high: float
    wins: float
    n: int


@dataclass(frozen=True)
class Strengths:
    """Systems from the strongest; ``rescued`` is the share of resamples that needed ties against the average."""

    systems: tuple[Strength, ...]
    prior: float
    rescued: float


def bradley_terry(
    preferences: Preferences, *, prior: float = 0.0, level: float = 0.95, resamples: int = 1000, seed: int = 0
) -> Strengths:
    """Fit all choices (take one quality first, with ``of``); intervals resample items."""
    if prior < 0 or not 0 < level < 1:
        raise UsageError("the prior is 0 or more ties, and the level lies between 0 and 1", "prior=0.5, level=0.95")
    met, table = _tables(preferences)
    whole = table.sum(axis=0)
    names = [preferences.systems[number] for number in met]
    if not prior and not _is_connected(whole[None])[0]:
        raise NeedsError(_why_not(whole, names), "prior=0.5, or choices between more pairs of these systems")
    found = _fit(whole[None], np.array([prior]), 1e-11)[0]
    low = high = np.full(len(names), np.nan)
    rescued = 0.0
    if resamples and len(table) > 1:
        weights = bootstrap_weights(len(table), resamples, seed_for(seed, "bradley terry"))
        drawn = (weights @ table.reshape(len(table), -1)).reshape(-1, *whole.shape)
        lost = ~_is_connected(drawn) & (prior == 0)
        rescued = float(lost.mean())
        low, high = percentile_interval(_fit(drawn, np.where(lost, RESCUE, prior), 1e-6), level)
    total = whole + whole.T
    rows = [
        Strength(name, float(found[i]), float(low[i]), float(high[i]), float(whole[i].sum()), int(total[i].sum()))
        for i, name in enumerate(names)
    ]
    return Strengths(tuple(sorted(rows, key=lambda row: -row.strength)), prior, rescued)


def _tables(preferences: Preferences) -> tuple[np.ndarray, np.ndarray]:
    """The systems that were compared, and per item how often each beat each, a tie counting half both ways."""
    if not len(preferences):
        raise NeedsError("there are no choices to fit strengths to", "preferences of one quality or more")
    met, codes = np.unique(np.concatenate([preferences.a, preferences.b]), return_inverse=True)
    a, b = codes[: len(preferences)], codes[len(preferences) :]
    items = np.unique(preferences.item, return_inverse=True)[1]
    share = (preferences.choice + 1) / 2
    n = len(met)
    cells = np.concatenate([(items * n + a) * n + b, (items * n + b) * n + a])
    table = np.bincount(cells, np.concatenate([share, 1 - share]), minlength=(int(items.max()) + 1) * n * n)
    return met, table.reshape(-1, n, n)


def _is_connected(wins: np.ndarray) -> np.ndarray:
    """For each table: whether wins lead from every system to every other."""
    n = wins.shape[-1]
    reach = (wins > 0) | np.eye(n, dtype=bool)
    for _ in range(max(1, int(np.ceil(np.log2(n))))):
        reach = (reach.astype(np.float32) @ reach.astype(np.float32)) > 0
    return np.asarray(reach.all(axis=(1, 2)))


def _fit(wins: np.ndarray, prior: np.ndarray, tolerance: float) -> np.ndarray:
    """(tables, systems): log strengths with mean 0; tables that have settled are left alone."""
    games = wins + wins.transpose(0, 2, 1)
    won = wins.sum(axis=2) + prior[:, None] / 2
    logs = np.zeros(won.shape)
    left = np.arange(len(wins))
    for _ in range(STEPS):
        strength = np.exp(logs[left])
        pairs = games[left] / (strength[:, :, None] + strength[:, None, :])
        new = np.log(won[left]) - np.log(pairs.sum(axis=2) + prior[left, None] / (strength + 1))
        new -= np.where(prior[left] > 0, 0.0, new.mean(axis=1))[:, None]  # without a prior only differences are identified
        moved = np.abs(new - logs[left]).max(axis=1)
        logs[left] = new
        left = left[moved > tolerance]
        if not len(left):
            break
    return np.asarray(logs - logs.mean(axis=1, keepdims=True))


def _why_not(wins: np.ndarray, names: list[str]) -> str:
    """Who stands apart, in a sentence."""
    apart = [name for name, won in zip(names, wins.sum(axis=1), strict=True) if won == 0]
    above = [name for name, lost in zip(names, wins.sum(axis=0), strict=True) if lost == 0]
    if above:
        return f"strengths have no finite value: {', '.join(above)} never lost"
    if apart:
        return f"strengths have no finite value: {', '.join(apart)} never won"
    return "strengths have no finite value: some systems were never compared with the others, or always beat them"
