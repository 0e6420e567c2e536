"""Split-half means: the ratings of each item are split at random into two halves, which are averaged."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from dialometer.stats.resample import seed_for


def split_halves(ratings: Sequence[Sequence[float]], ids: Sequence[str], seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    """Means of two random halves of each item's ratings; NaN where an item has fewer than two.

    >>> a, b = split_halves([[1, 5], [3]], ["x", "y"])
    >>> sorted([float(a[0]), float(b[0])]), bool(np.isnan(a[1]))
    ([1.0, 5.0], True)
    """
    halves = np.full((2, len(ratings)), np.nan)
    for row, (values, name) in enumerate(zip(ratings, ids, strict=True)):
        order = np.random.default_rng(seed_for(seed, "halves", name)).permutation(len(values))
        cut = len(values) // 2
        if cut:
            mixed = np.asarray(values, float)[order]
            halves[:, row] = mixed[:cut].mean(), mixed[cut:].mean()
    return halves[0], halves[1]
