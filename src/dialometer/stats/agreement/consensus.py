"""One label per item from many noisy annotators: input and result that MACE and Dawid–Skene share."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from dialometer.core.types import Ratings
from dialometer.stats.agreement.rater_rows import codes_of, known, single, unknown


@dataclass(frozen=True)
class Labels:
    """Ratings sorted by item and label, as numbers of items that were judged, of raters, and of ordered categories."""

    scale: np.ndarray  # the values that the categories stand for
    judged: np.ndarray  # numbers in ``ratings.items`` of the items that have a rating here
    item: np.ndarray
    label: np.ndarray
    cell: np.ndarray  # rater × categories + label
    raters: int
    counts: np.ndarray  # (raters, categories): ratings
    unknown: int


def labels_of(ratings: Ratings, what: str, categories: Sequence[float] | None = None) -> Labels:
    """The ratings of one quality whose raters are known; repeats of a rater on an item all count."""
    everything = single(ratings)
    named = known(everything, what)
    codes, scale = codes_of(named.value, categories)
    judged, item = np.unique(named.item, return_inverse=True)
    order = np.lexsort((codes, item))
    cell = (named.rater.astype(np.int64) * len(scale) + codes)[order]
    raters = len(ratings.raters)
    counts = np.bincount(cell, minlength=raters * len(scale)).reshape(raters, len(scale)).astype(float)
    return Labels(scale, judged, item[order], codes[order], cell, raters, counts, unknown(everything))


@dataclass(frozen=True)
class Consensus:
    """The most probable value of each item (the lower of two equal ones), with all probabilities and their entropy in nats."""

    value: np.ndarray  # per item of ``ratings.items``; NaN without a rating of a known rater
    posterior: np.ndarray  # (items, categories)
    entropy: np.ndarray
    categories: np.ndarray


def consensus(labels: Labels, posterior: np.ndarray, items: int) -> Consensus:
    """Posteriors of judged items spread over all items."""
    spread = np.full((items, len(labels.scale)), np.nan)
    spread[labels.judged] = posterior
    value, entropy = np.full(items, np.nan), np.full(items, np.nan)
    value[labels.judged] = labels.scale[posterior.argmax(axis=1)]
    entropy[labels.judged] = -(posterior * np.log(np.maximum(posterior, 1e-300))).sum(axis=1)
    return Consensus(value, spread, entropy, labels.scale)
