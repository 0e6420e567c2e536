"""How qualities and metrics go with each other, all by all."""

from __future__ import annotations

from itertools import combinations

import numpy as np

from dialometer.contracts.meta_tables import Intercorrelations, Matrix
from dialometer.flows.meta.columns import varies
from dialometer.flows.meta.study import Study
from dialometer.flows.shared.records import numbers
from dialometer.stats.correlation.correlate import COEFFICIENTS
from dialometer.stats.correlation.weighted import both

MOST = 30  # rows of a map that can still be read


def intercorrelations(study: Study) -> Intercorrelations:
    """Names (people's first) and a square of coefficients per kind, each over the items that have both numbers.

    Empty where there is one quality, and where a map would be too large.
    """
    people = {f"{study.reference}: {name}": values for name, values in study.human.items()}
    columns = {
        name: np.asarray(values, float) for name, values in {**people, **study.columns.items}.items() if varies(values)
    }
    if len(study.human) < 2 or len(columns) > MOST:
        return Intercorrelations()
    rows = list(columns.values())
    squares = {kind: np.eye(len(rows)) for kind in COEFFICIENTS}
    for i, j in combinations(range(len(rows)), 2):
        pair = both(rows[i], rows[j])
        for kind, coefficient in COEFFICIENTS.items():
            squares[kind][i, j] = squares[kind][j, i] = coefficient(rows[i][pair], rows[j][pair])
    matrices: dict[str, Matrix] = {kind: [numbers(row) for row in square.tolist()] for kind, square in squares.items()}
    return Intercorrelations(names=list(columns), **matrices)
