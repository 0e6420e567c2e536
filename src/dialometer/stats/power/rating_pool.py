"""Rated items as simulated studies draw from them: centred, so that a difference is only what a simulation puts in."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from dialometer.core.errors import NeedsError, UnknownName
from dialometer.stats.power.variance_components import Components, components
from dialometer.stats.resample import seed_for

DRAWS = 1 << 18  # means that are kept ready, over all items
PAIRS = 1 << 16  # pairs of items that paired studies draw from, at most


@dataclass(frozen=True)
class RatingPool:
    """Ratings of each item (NaN beyond its last), which items may stand for system a and for b, and the variance components.

    Without two named systems all items stand for both. ``pairs`` are rows of a and b in one context.
    """

    ratings: np.ndarray
    a: np.ndarray
    b: np.ndarray
    pairs: np.ndarray
    components: Components
    panel: bool
    observed: float  # mean of b − mean of a, NaN where they are not named

    def counts(self) -> np.ndarray:
        """How many ratings each item has."""
        return np.asarray((~np.isnan(self.ratings)).sum(axis=1))


def make_pool(
    value: np.ndarray,
    item: np.ndarray,
    rater: np.ndarray,
    systems: Sequence[str],
    groups: Sequence[str],
    *,
    a: str = "",
    b: str = "",
    panel: bool = False,
    seed: int = 0,
) -> RatingPool:
    """From ratings in long form, with the system and group of every item; a and b narrow them to two systems.

    ``panel``: one set of raters will rate every item of both systems, so that their leniency cancels; it is taken out of the
    ratings. Else each item has raters of its own, and their leniency is part of the noise.
    """
    names, system = np.unique(np.asarray(systems), return_inverse=True)
    chosen = _system_codes(names, a, b)
    if chosen is not None:
        mine = np.isin(system[item], chosen)
        value, item, rater = value[mine], item[mine], rater[mine]
    if panel and not (rater >= 0).all():
        raise NeedsError("a panel needs raters' names, and some ratings have none", "leave --panel out")
    spread = components(value, item, rater, system, np.unique(np.asarray(groups), return_inverse=True)[1])
    if not spread.sd > 1e-9 * np.abs(value).max():
        raise NeedsError(f"all {len(value)} ratings are the same: no study can be planned from them", "another quality: -q")
    seen, rows = np.unique(item, return_inverse=True)
    system, group = system[seen], np.unique(np.asarray(groups)[seen], return_inverse=True)[1]
    means = np.bincount(rows, value) / np.bincount(rows)
    level = np.bincount(system, means, minlength=len(names)) / np.maximum(np.bincount(system, minlength=len(names)), 1)
    centred = value - level[system[rows]]
    if panel:
        who = np.unique(rater, return_inverse=True)[1]
        centred = centred - (np.bincount(who, centred) / np.bincount(who))[who]
    every = np.arange(len(seen))
    ours, theirs = (every, every) if chosen is None else (np.flatnonzero(system == number) for number in chosen)
    observed = float("nan") if chosen is None else float(level[chosen[1]] - level[chosen[0]])
    return RatingPool(_wide(centred, rows), ours, theirs, _pairs(system, group, chosen, seed), spread, panel, observed)


def _system_codes(names: np.ndarray, a: str, b: str) -> np.ndarray | None:
    """The numbers of the two systems; None where none is named."""
    if bool(a) != bool(b) or (a and a == b):
        raise NeedsError("two different systems are compared, or none is named", "--a ONE --b OTHER")
    for name in (a, b) if a else ():
        if name not in names:
            raise UnknownName("system", name, map(str, names), hint="--a ONE --b OTHER")
    return np.searchsorted(names, [a, b]) if a else None


def _wide(value: np.ndarray, rows: np.ndarray) -> np.ndarray:
    """(items, most ratings): each item's ratings from the left."""
    order = np.argsort(rows, kind="stable")
    counts = np.bincount(rows)
    place = np.arange(len(rows)) - np.repeat(np.cumsum(counts) - counts, counts)
    wide = np.full((len(counts), int(counts.max())), np.nan)
    wide[rows[order], place] = value[order]
    return wide


def _pairs(system: np.ndarray, group: np.ndarray, chosen: np.ndarray | None, seed: int) -> np.ndarray:
    """(pairs, 2): items of two systems in one context, a's first; in both orders where no systems are named.

    All of them, or that many at random where contexts are large.
    """
    order = np.argsort(group, kind="stable")
    sizes = np.bincount(group)
    starts = np.cumsum(sizes) - sizes
    mine = sizes[group[order]]
    if mine.sum() <= PAIRS:
        first = np.repeat(np.arange(len(order)), mine)
        step = np.arange(len(first)) - np.repeat(np.cumsum(mine) - mine, mine)
    else:
        rng = np.random.default_rng(seed_for(seed, "pairs"))
        first = rng.choice(len(order), PAIRS, p=mine / mine.sum())
        step = rng.integers(0, mine[first])
    pairs = np.stack([order[first], order[starts[group[order[first]]] + step]], axis=1)
    left, right = system[pairs].T
    kept = left != right if chosen is None else (left == chosen[0]) & (right == chosen[1])
    return np.asarray(pairs[kept])


def ready_means(pool: RatingPool, raters: int, rng: np.random.Generator) -> np.ndarray:
    """(items, draws): means of that many of an item's ratings, drawn without replacement; NaN where it has fewer."""
    counts = pool.counts()
    draws = int(np.clip(DRAWS // len(counts), 8, 256))
    keys = rng.random((len(counts), draws, pool.ratings.shape[1]))
    keys[np.broadcast_to(np.isnan(pool.ratings)[:, None, :], keys.shape)] = 2.0  # after every rating there is
    first = np.argpartition(keys, raters - 1, axis=2)[:, :, :raters] if raters < keys.shape[2] else None
    wide = np.broadcast_to(pool.ratings[:, None, :], keys.shape)
    means = (wide if first is None else np.take_along_axis(wide, first, axis=2)).mean(axis=2)
    return np.where(counts[:, None] >= raters, means, np.nan)
