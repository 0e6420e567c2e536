"""How many items and raters separate two systems? Studies are simulated from the user's own ratings, and tested.

A study draws items with replacement, and of each item as many ratings as it asks for without replacement; the effect is added to
one side. Where too few items have that many ratings, item means are normal, with the variance that the components of the
ratings give: ``item + (rater + rest) / raters``. The scale's ends are ignored: an effect moves every rating alike.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np

from dialometer.core.errors import NeedsError, UsageError
from dialometer.core.protocols import Progress
from dialometer.stats.power.rating_pool import RatingPool, ready_means
from dialometer.stats.resample import seed_for

PIECE = 1 << 21  # numbers drawn at once
ENOUGH = 20  # items with as many ratings as asked for, to draw real ones
PERMUTATIONS = 499
Study = Callable[[int, int, np.random.Generator], tuple[np.ndarray, ...]]  # differences, or both systems' item means


@dataclass(frozen=True)
class PowerCell:
    """The share of simulated studies that find the difference, with the 95% interval of the simulation."""

    items: int
    raters: int
    power: float
    low: float
    high: float
    method: str  # resampled or components


@dataclass(frozen=True)
class Power:
    """A grid of items by raters, and for each number of raters the smallest study that reaches the goal (None: not on the grid)."""

    cells: tuple[PowerCell, ...]
    needed: dict[int, PowerCell | None]
    effect: float
    paired: bool


def power_grid(
    pool: RatingPool,
    effect: float,
    items: Sequence[int],
    raters: Sequence[int],
    *,
    paired: bool = False,
    test: str = "t",
    level: float = 0.05,
    goal: float = 0.8,
    simulations: int = 2000,
    seed: int = 0,
    progress: Progress = lambda stage, done, total: None,
) -> Power:
    """Simulate every combination; ``items`` is per system, and a paired study has both systems reply to the same contexts."""
    check_plan(items, level, goal, simulations)
    _check_study(pool, raters, paired, test)
    cells: list[PowerCell] = []
    needed: dict[int, PowerCell | None] = {}
    for k in sorted(set(raters)):
        study, method = _study(pool, k, effect, paired, seed)
        at = partial(_cell, k, study, method, test, level, simulations, seed)
        own = []
        for n in sorted(set(items)):
            own.append(at(n))
            progress("simulating", len(cells) + len(own), len(set(raters)) * len(set(items)))
        cells += own
        needed[k] = smallest(own, at, goal)
    return Power(tuple(cells), needed, effect, paired)


def _check_study(pool: RatingPool, raters: Sequence[int], paired: bool, test: str) -> None:
    if not raters or min(raters) < 1:
        raise UsageError("a study has 1 rater per item or more", "--raters 1,3,5")
    if test not in ("t", "permutation"):
        raise UsageError(f"the test is t or permutation, not {test!r}", "--test t")
    if paired and not len(pool.pairs):
        raise NeedsError("no two systems answer the same context, so nothing can be paired", "leave --paired out")


def _cell(
    raters: int, study: Study, method: str, test: str, level: float, simulations: int, seed: int, n: int
) -> PowerCell:
    """Simulate studies of n items per system."""
    rng = np.random.default_rng(seed_for(seed, "power", n, raters))
    piece = max(1, PIECE // n)
    found = 0
    for start in range(0, simulations, piece):
        sides = study(min(piece, simulations - start), n, rng)
        found += int((_p_values(sides, test, rng) < level).sum())
    return PowerCell(n, raters, found / simulations, *wilson(found, simulations), method)


def check_plan(items: Sequence[int], level: float, goal: float, simulations: int) -> None:
    """Refuse grids and levels that mean nothing."""
    if not items or min(items) < 4 or max(items) > 1_000_000:
        raise UsageError("a study has between 4 and a million items", "--items 50,100,200,400")
    if not 0 < level < 1 or not 0 < goal < 1:
        raise UsageError("the level and the power aimed at lie between 0 and 1", "--level 0.05 --goal 0.8")
    if not 100 <= simulations <= 1_000_000:
        raise UsageError("simulations are 100 to a million", "--simulations 2000")


def smallest(cells: Sequence[PowerCell], at: Callable[[int], PowerCell], goal: float) -> PowerCell | None:
    """The smallest study that reaches the goal, by halving between the grid's last failure and first success."""
    reached = [number for number, cell in enumerate(cells) if cell.power >= goal]
    if not reached:
        return None
    best = cells[reached[0]]
    low = cells[reached[0] - 1].items if reached[0] else 3
    while best.items - low > max(1, best.items // 50):
        middle = at((low + best.items) // 2)
        if middle.power >= goal:
            best = middle
        else:
            low = middle.items
    return best


def wilson(hits: int, n: int, z: float = 1.959963984540054) -> tuple[float, float]:
    """Wilson's interval of a share (1927), which stays inside 0 and 1.

    >>> [round(x, 3) for x in wilson(40, 100)]
    [0.309, 0.498]
    """
    share, extra = hits / n, z * z / n
    centre = (share + extra / 2) / (1 + extra)
    half = z * np.sqrt(share * (1 - share) / n + extra / (4 * n)) / (1 + extra)
    return float(max(centre - half, 0.0)), float(min(centre + half, 1.0))


def _study(pool: RatingPool, raters: int, effect: float, paired: bool, seed: int) -> tuple[Study, str]:
    """How studies with that many raters are drawn, and the word for it."""
    enough = pool.counts() >= raters
    pairs = pool.pairs[enough[pool.pairs].all(axis=1)]
    ready = [pairs] if paired else [side[enough[side]] for side in (pool.a, pool.b)]
    before = [pool.pairs] if paired else [pool.a, pool.b]
    if all(len(now) >= max(ENOUGH, len(all_) / 2) for now, all_ in zip(ready, before, strict=True)):
        means = ready_means(pool, raters, np.random.default_rng(seed_for(seed, "ready", raters)))
        return _real(means, ready, effect), "resampled"
    parts = pool.components
    if raters > 1 and np.isnan(parts.residual):
        raise NeedsError("every item has one rating: the effect of more raters is unknown", "--raters 1")
    noise = np.nansum([parts.residual, 0.0 if pool.panel else parts.rater]) / raters
    alone = max(parts.item - (parts.context if paired and not np.isnan(parts.context) else 0.0), 0.0) + noise
    return _normal(float(np.sqrt(alone)), paired, effect), "components"


def _real(means: np.ndarray, rows: list[np.ndarray], effect: float) -> Study:
    """Real items: each draw is a row and one of its ready means; every side is centred on what is drawn from."""
    if len(rows) == 1:
        first, second = means[rows[0][:, 0]], means[rows[0][:, 1]]
        shift = effect - (second.mean() - first.mean())

        def paired(studies: int, n: int, rng: np.random.Generator) -> tuple[np.ndarray, ...]:
            row = rng.integers(0, len(first), (studies, n))
            ours, theirs = rng.integers(0, means.shape[1], (2, studies, n))
            return (second[row, theirs] - first[row, ours] + shift,)

        return paired
    sides = [means[side] - means[side].mean() for side in rows]

    def apart(studies: int, n: int, rng: np.random.Generator) -> tuple[np.ndarray, ...]:
        flat = [side.reshape(-1)[rng.integers(0, side.size, (studies, n))] for side in sides]
        return flat[0], flat[1] + effect

    return apart


def _normal(sd: float, paired: bool, effect: float) -> Study:
    """Item means from the components alone."""

    def draw(studies: int, n: int, rng: np.random.Generator) -> tuple[np.ndarray, ...]:
        first, second = sd * rng.standard_normal((2, studies, n))
        return (second - first + effect,) if paired else (first, second + effect)

    return draw


def _p_values(sides: tuple[np.ndarray, ...], test: str, rng: np.random.Generator) -> np.ndarray:
    """Two-sided, one per study: t on differences, Welch's t on two sides, or the permutation of the same."""
    return _permute(sides, rng) if test == "permutation" else _t(sides)


def _t(sides: tuple[np.ndarray, ...]) -> np.ndarray:
    from scipy.special import stdtr

    n = sides[0].shape[1]
    gap = sides[-1].mean(axis=1) - (sides[0].mean(axis=1) if len(sides) == 2 else 0.0)
    errors = [side.var(axis=1, ddof=1) / n for side in sides]
    total = np.sum(errors, axis=0)
    with np.errstate(divide="ignore", invalid="ignore"):
        freedom = np.where(total > 0, total**2 * (n - 1) / np.sum(np.square(errors), axis=0), n - 1.0)
        t = np.where(np.abs(gap) > 1e-12, np.abs(gap) / np.sqrt(total), 0.0)
    return np.asarray(2 * stdtr(freedom, -t))


def _permute(sides: tuple[np.ndarray, ...], rng: np.random.Generator) -> np.ndarray:
    """Signs of differences, or labels of items, turned at random; all studies of a piece share the turns."""
    values = sides[0] if len(sides) == 1 else np.concatenate(sides, axis=1)
    width = values.shape[1]
    if len(sides) == 1:
        turns = rng.integers(0, 2, (PERMUTATIONS, width)) * 2.0 - 1
        own = np.ones(width)
    else:
        own = np.repeat([-1.0, 1.0], width // 2)
        turns = rng.permuted(np.tile(own, (PERMUTATIONS, 1)), axis=1)
        values = values - values.mean(axis=1, keepdims=True)
    found = np.abs(values @ own)
    slack = 1e-9 * np.abs(values).sum(axis=1)
    hits = (np.abs(values @ turns.T) >= (found - slack)[:, None]).sum(axis=1)
    return np.asarray((hits + 1) / (PERMUTATIONS + 1))
