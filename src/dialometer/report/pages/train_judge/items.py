"""Items that a judge was fitted on, with the numbers of each: a table for other programs, and the cards of the report."""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from dialometer.core.types import Dialogue, Example
from dialometer.report import blocks as b


@dataclass(frozen=True)
class JudgedItems:
    """Items with ratings and targets; out-of-fold predictions by what was unseen, as they are and with a common start of the folds;
    columns of the baselines.
    """

    items: Sequence[Example | Dialogue]
    ratings: Sequence[Sequence[float]]
    target: np.ndarray
    predictions: Mapping[str, np.ndarray]
    aligned: Mapping[str, np.ndarray]
    columns: Mapping[str, np.ndarray]


def predictions_csv(judged: JudgedItems) -> bytes:
    """id, system, human, and the out-of-fold predictions, also with a common start; empty if there is none."""
    text = io.StringIO()
    rows = csv.writer(text, lineterminator="\n")
    columns = {**judged.predictions, **{f"{way}_aligned": values for way, values in judged.aligned.items()}}
    rows.writerow(["id", "system", "human", *(f"by_{way}" for way in columns)])
    for number, item in enumerate(judged.items):
        values = (float(column[number]) for column in (judged.target, *columns.values()))
        rows.writerow([item.id, item.system, *("" if value != value else repr(value) for value in values)])
    return text.getvalue().encode()


def item_cards(judged: JudgedItems, quality: str) -> list[b.Item]:
    """What a click shows: the dialogue, predictions, baselines and ratings."""
    predicted = {f"predicted, {way} unseen": values for way, values in judged.predictions.items()}
    columns = {**predicted, **judged.columns}
    cards = []
    for row, item in enumerate(judged.items):
        scores = {name: float(values[row]) for name, values in columns.items() if values[row] == values[row]}
        ratings = {quality: judged.ratings[row]}
        if isinstance(item, Example):
            turns = [(turn.speaker, turn.text) for turn in item.context]
            cards.append(b.Item(item.id, item.system, turns, item.response, item.references, scores, ratings))
        else:
            turns = [(turn.speaker, turn.text) for turn in item.turns]
            cards.append(b.Item(item.id, item.system, turns, scores=scores, ratings=ratings))
    return cards
