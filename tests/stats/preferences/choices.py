"""Preferences made by hand."""

import numpy as np

from dialometer.core.types import Preferences


def preferences(rows, systems):
    """From (item, a, b, rater, choice) with system names; one quality, ``overall``, unless a sixth entry names it."""
    rows = [(*row, "overall") if len(row) == 5 else row for row in rows]
    items, raters, qualities = (sorted({row[place] for row in rows}) for place in (0, 3, 5))
    numbers = [
        (items.index(i), systems.index(a), systems.index(b), raters.index(r), qualities.index(q), choice)
        for i, a, b, r, choice, q in rows
    ]
    columns = np.array(numbers, int).reshape(-1, 6).T
    return Preferences(tuple(items), tuple(systems), tuple(raters), tuple(qualities), *columns)
