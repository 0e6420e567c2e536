"""The dialogues that people rate highest and lowest."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from dialometer.core.seeds import derived

MOST = 100  # of each end, or a quarter of all where that is less


@dataclass(frozen=True, eq=False)
class Ends:
    """Rows of the highest and of the lowest, and what has to be said of the choice."""

    high: np.ndarray
    low: np.ndarray
    note: str = ""


def ends(values: np.ndarray, ids: Sequence[str], *, most: int = MOST, seed: int = 0) -> Ends:
    """The ``most`` highest and lowest values, or a quarter where there are fewer; ties at a cut are drawn by lot, by their ids.

    A value that reaches from one end into the other tells no end: whoever has it is left out.

    >>> chosen = ends(np.array([1.0, 5.0, 3.0, 3.0, np.nan, 2.0, 4.0, 3.0, 3.0]), "abcdefghi")
    >>> chosen.high.tolist(), chosen.low.tolist()
    ([1, 6], [0, 5])
    """
    rows = np.flatnonzero(~np.isnan(values))
    size = min(most, len(rows) // 4)
    lot = np.array([derived(seed, "end", ids[row]) for row in rows.tolist()], np.uint64)
    order = rows[np.lexsort((lot, values[rows]))]
    low, high = order[:size], order[len(order) - size :]
    if not size:
        return Ends(high, low, f"{len(rows)} rated dialogues are too few to tell the highest from the lowest.")
    cuts = float(values[high].min()), float(values[low].max())
    if cuts[0] == cuts[1]:
        high, low = high[values[high] > cuts[0]], low[values[low] < cuts[1]]
        if not len(high) or not len(low):
            return Ends(high[:0], low[:0], f"Too many dialogues are rated {cuts[0]:g} to tell the highest from the lowest.")
        return Ends(np.sort(high), np.sort(low), f"Those rated {cuts[0]:g} are at both ends, and left out.")
    shares = [(values[rows_of_end] == cut).sum() for rows_of_end, cut in ((high, cuts[0]), (low, cuts[1]))]
    tied = [(values[rows] == cut).sum() for cut in cuts]
    drawn = [
        f"{some} of the {every} rated {cut:g} {end}"
        for some, every, cut, end in zip(shares, tied, cuts, ("at the high end", "at the low end"), strict=True)
        if some < every
    ]
    return Ends(np.sort(high), np.sort(low), f"Drawn by lot: {', and '.join(drawn)}." if drawn else "")
