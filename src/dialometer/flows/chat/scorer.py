"""Scores of single replies, by metrics that can do without a reference."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from dialometer.core.errors import NeedsError
from dialometer.core.protocols import Prepares, SetMetric
from dialometer.core.recipes import recipe
from dialometer.core.registry import create
from dialometer.core.types import Example, Turn
from dialometer.flows.score.score import column_names
from dialometer.text.corpus import Corpus


class Scorer:
    """Metrics by spec; what they lack is told before anybody says a word.

    >>> Scorer(("length",)).score((), "I like tea .")
    {'words': 4.0, 'chars': 12.0, 'words-difference': None}
    """

    def __init__(self, specs: tuple[str, ...], tok: str = "") -> None:
        metrics: list[Any] = [create("metric", spec, **({"tok": tok} if tok else {})) for spec in specs]
        for metric in metrics:
            if "reference" in metric.needs:
                raise NeedsError(
                    f"{metric.name} needs a reference, and a conversation has none",
                    "dialometer list metrics --without reference",
                )
        self.metrics = list(zip(metrics, column_names(metrics, specs), strict=True))
        self.recipes = {column: recipe(metric) for metric, columns in self.metrics for column in columns}

    def score(self, context: tuple[Turn, ...], reply: str) -> dict[str, float | None]:
        """Every column of one reply; None is not scored."""
        corpus = Corpus.build([Example("reply", context, reply)])
        found: dict[str, float | None] = {}
        for metric, columns in self.metrics:
            values = [None if math.isnan(value) else float(value) for value in _values(metric, corpus)]
            found |= dict(zip(columns, values, strict=True))
        return found


def _values(metric: Any, corpus: Corpus) -> np.ndarray:
    rows = np.arange(len(corpus))
    if isinstance(metric, SetMetric):
        return metric.score(corpus, rows)
    if isinstance(metric, Prepares):
        metric = metric.bind({"": metric.prepare(corpus, rows)})
    return np.asarray(metric.finish(metric.measure(corpus), level="item"))[0]
