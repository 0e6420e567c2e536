"""Pairs of neighbouring words, by number: the same number for the same pair wherever it stands."""

from __future__ import annotations

import numpy as np

from dialometer.text.corpus import Rows
from dialometer.text.table import TokenTable


def bigrams(table: TokenTable) -> Rows:
    """The pairs of each text of a table, in order; a text of one word has none.

    >>> from dialometer.text.table import build_table
    >>> from dialometer.text.texts import Texts
    >>> from dialometer.text.tokenisers.base import tokeniser
    >>> found = bigrams(build_table(Texts.of(["tea for tea for two", "tea", "for two"]), tokeniser("words")))
    >>> found.starts.tolist(), found.rows.tolist()
    ([0, 4, 4, 5], [0, 1, 0, 2, 2])
    """
    sizes = np.maximum(table.lengths() - 1, 0)
    starts = np.concatenate([[0], np.cumsum(sizes)])
    first = np.repeat(np.asarray(table.starts[:-1]) - starts[:-1], sizes) + np.arange(starts[-1])
    pairs = (table.ids[first].astype(np.int64) << 32) | table.ids[first + 1]
    return Rows(starts, np.unique(pairs, return_inverse=True)[1].reshape(-1))
