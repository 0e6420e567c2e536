"""Attribution of a judge's scores: how much of their variance, and of the ratings', columns of untrained metrics account for."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from dialometer.contracts.result import number
from dialometer.contracts.train_judge_tables import AttributedColumn, Attribution
from dialometer.stats.validation.shapley import MOST, shapley_shares


def attribute_variance(columns: Mapping[str, np.ndarray], predicted: np.ndarray, human: np.ndarray) -> Attribution:
    """Each column's correlation and Shapley share of R², for scores and for ratings; of many columns those nearest to the judge."""
    rows = ~(np.isnan(predicted) | np.isnan(human))
    scores, ratings = predicted[rows], human[rows]
    filled = {name: _fill_missing(values[rows]) for name, values in columns.items()}
    known = {name: values for name, values in filled.items() if values.std() > 0}
    with_judge = {name: _pearson(values, scores) for name, values in known.items()}
    chosen = sorted(known, key=lambda name: (-abs(with_judge[name]), name))[:MOST]
    if not chosen or scores.std() == 0:
        return Attribution(rows=[], judge=0.0, people=0.0, left_out=sorted(columns))
    table = np.stack([known[name] for name in chosen], axis=1)
    of_scores, of_ratings = shapley_shares(table, scores), shapley_shares(table, ratings)
    order = sorted(range(len(chosen)), key=lambda place: -of_scores[place])
    return Attribution(
        rows=[
            AttributedColumn(
                column=chosen[place],
                r_judge=number(with_judge[chosen[place]]),
                r_people=number(_pearson(known[chosen[place]], ratings)),
                share_judge=number(of_scores[place]),
                share_people=number(of_ratings[place]),
            )
            for place in order
        ],
        judge=number(of_scores.sum()),
        people=number(of_ratings.sum()),
        left_out=sorted(set(columns) - set(chosen)),
    )


def _fill_missing(values: np.ndarray) -> np.ndarray:
    """Missing values become the mean."""
    missing = np.isnan(values)
    return np.where(missing, values[~missing].mean() if not missing.all() else 0.0, values)


def _pearson(a: np.ndarray, b: np.ndarray) -> float:
    a, b = a - a.mean(), b - b.mean()
    size = float(np.sqrt((a @ a) * (b @ b)))
    return float(a @ b) / size if size else float("nan")
