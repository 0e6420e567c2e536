"""How qualities and metrics go with each other, all by all."""

from __future__ import annotations

from itertools import combinations
from typing import Any

import numpy as np

from dialometer.flows.meta.columns import varies
from dialometer.flows.meta.study import Study
from dialometer.stats.correlation.correlate import COEFFICIENTS
from dialometer.stats.correlation.weighted import both

MOST = 30  # rows of a map that can still be read


def among(study: Study) -> dict[str, Any]:
    """Names (people's first) and a square of coefficients per kind, each over the items that have both numbers.

    Empty where there is one quality, and where a map would be too large.
    """
    people = {f"{study.reference}: {name}": values for name, values in study.human.items()}
    columns = {
        name: np.asarray(values, float) for name, values in {**people, **study.columns.items}.items() if varies(values)
    }
    if len(study.human) < 2 or len(columns) > MOST:
        return {}
    rows = list(columns.values())
    squares = {kind: np.eye(len(rows)) for kind in COEFFICIENTS}
    for i, j in combinations(range(len(rows)), 2):
        pair = both(rows[i], rows[j])
        for kind, coefficient in COEFFICIENTS.items():
            squares[kind][i, j] = squares[kind][j, i] = coefficient(rows[i][pair], rows[j][pair])
    return {"names": list(columns), **{kind: square.tolist() for kind, square in squares.items()}}
