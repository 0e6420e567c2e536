"""Columns of catalogue metrics per conversation: those of dialogues as they are, those of responses as means over the replies."""

from __future__ import annotations

from typing import Any

import numpy as np

from dialometer.judges._shared.features import column_labels, feature_metrics, split_specs
from dialometer.text.corpus import Corpus
from dialometer.text.dialogues import conversation_means, conversations

UNITS = ("response", "dialogue")


def dialogue_metrics(specs: str) -> list[Any]:
    """The metrics of the specs, of responses or of dialogues."""
    return feature_metrics(specs, UNITS)


def dialogue_names(specs: str) -> tuple[str, ...]:
    """The name of each column."""
    return column_labels(dialogue_metrics(specs), split_specs(specs))


def dialogue_columns(corpus: Corpus, specs: str) -> np.ndarray:
    """(conversations, columns) float64, in order of appearance; NaN where a metric has no score.

    >>> from dialometer.core.types import Example
    >>> replies = [Example("a#1", (), "so so", group="a"), Example("a#3", (), "yes i do indeed", group="a")]
    >>> dialogue_columns(Corpus.build(replies), "length").tolist()
    [[3.0, 10.0, nan]]
    """
    owner = conversations(corpus).code
    return np.concatenate([_of(metric, corpus, owner) for metric in dialogue_metrics(specs)], axis=1)


def _of(metric: Any, corpus: Corpus, owner: np.ndarray) -> np.ndarray:
    values = np.asarray(metric.finish(metric.measure(corpus), level="item"), np.float64)
    return values if metric.unit == "dialogue" else conversation_means(values, owner)
