"""Folds that keep together what belongs together: by context, by system, one system at a time."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from dialometer.stats.resample import seed_for


def fold_numbers(names: Sequence[str], folds: int, seed: int = 0) -> np.ndarray:
    """A fold for each name, the same wherever it stands, nearly equally many names in each; few names give fewer folds.

    >>> numbers = fold_numbers(["a", "b", "a", "c"], 2)
    >>> bool(numbers[0] == numbers[2]), sorted(np.unique(numbers).tolist())
    (True, [0, 1])
    """
    distinct = sorted(set(names), key=lambda name: seed_for(seed, "fold", name))
    number = {name: place % folds for place, name in enumerate(distinct)}
    return np.array([number[name] for name in names])


def even_folds(names: Sequence[str], folds: int, seed: int = 0) -> np.ndarray:
    """Folds of names with nearly equally many *rows*: the largest first, each into the fold that is smallest so far."""
    distinct, codes, sizes = np.unique(np.asarray(names), return_inverse=True, return_counts=True)
    order = sorted(range(len(distinct)), key=lambda i: (-int(sizes[i]), seed_for(seed, "fold", distinct[i])))
    number, filled = np.zeros(len(distinct), np.int64), np.zeros(folds, np.int64)
    for place in order:
        number[place] = filled.argmin()
        filled[number[place]] += sizes[place]
    return number[codes]


def same_amount(removed: np.ndarray, groups: np.ndarray | None = None, seed: int = 0) -> np.ndarray:
    """As many rows as were removed, but chosen at random: the control of Lowe et al. 2017, table 5.

    With groups (contexts), each loses as many rows as before, so that only *whose* rows are missing differs.
    """
    removed = np.asarray(removed, bool)
    codes = np.zeros(len(removed), np.int64) if groups is None else np.unique(groups, return_inverse=True)[1]
    order = np.lexsort((np.random.default_rng(seed_for(seed, "same amount")).random(len(removed)), codes))
    sorted_codes = codes[order]
    place = np.arange(len(removed)) - np.searchsorted(sorted_codes, sorted_codes)
    chosen = np.zeros(len(removed), bool)
    chosen[order] = place < np.bincount(codes, removed, minlength=1)[sorted_codes]
    return chosen
