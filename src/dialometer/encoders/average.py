"""``average``: the mean of a text's word vectors, the plainest sentence encoder.

Words may be weighted (``text/vectors/weights.py``).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import ClassVar

import numpy as np

from dialometer.core.errors import NeedsError
from dialometer.core.protocols import WordVectors
from dialometer.core.recipes import short
from dialometer.core.registry import create
from dialometer.text.lines import file_digest
from dialometer.text.table import TokenTable, build_table, row_sums
from dialometer.text.texts import Texts
from dialometer.text.tokenisers.base import tokeniser
from dialometer.text.vectors.weights import check_weights, file_counts, word_weights
from dialometer.text.vectors.words import mean_and_extrema, word_columns, word_table

MANY = 8192  # texts whose vectors are made at once


@dataclass(frozen=True)
class Average:
    """Σ w(word) · vector / Σ w(word); ``text`` names the file (one document a line) in which idf and sif count words."""

    vectors: str = field(default="wordllama", metadata={"recipe": False})
    weights: str = "none"
    text: str = field(default="", metadata={"recipe": False})
    tok: str = field(default="words", metadata={"recipe": False})

    name: ClassVar[str] = "average"
    version: ClassVar[int] = 1
    keeps: ClassVar[bool] = False  # quicker to make than to read

    def __post_init__(self) -> None:
        check_weights("average", self.weights)

    @property
    def width(self) -> int:
        """That of the word vectors."""
        return self._source().width

    @property
    def recipe(self) -> str:
        """Options, the recipes of word vectors and tokeniser, and a hash of the text that was counted."""
        counted = [file_digest(self._text())] if self.weights != "none" else []
        return short(self, "+".join([self._source().recipe, tokeniser(self.tok).recipe, *counted]))

    def encode(self, texts: Sequence[str]) -> np.ndarray:
        """(n, width) float32; zeros for a text without a known word."""
        table, source = self._table(texts), self._source()
        words = word_table(table, source)
        counts = None if self.weights == "none" else file_counts(self._text(), self.weights, self.tok)
        weights = word_weights(table, counts, self.weights)
        made = np.zeros((len(texts), source.width), np.float32)
        for at in range(0, len(texts), MANY):
            rows = np.arange(at, min(at + MANY, len(texts)))
            made[rows] = mean_and_extrema(words, rows, weights)[0]
        return made

    def coverage(self, texts: Sequence[str]) -> np.ndarray:
        """(n, 2) int64: known words and words of each text."""
        table = self._table(texts)
        known = word_columns(table, self._source())[1]
        return np.stack([row_sums(known[table.ids], table.starts), table.lengths()], axis=1)

    def _table(self, texts: Sequence[str]) -> TokenTable:
        return build_table(Texts.of(texts), tokeniser(self.tok))

    def _source(self) -> WordVectors:
        made: WordVectors = create("vector", self.vectors)
        return made

    def _text(self) -> str:
        if not self.text:
            raise NeedsError(
                f"average(weights={self.weights}) has no text to count words in",
                f"average(weights={self.weights},text=FILE), one document a line",
            )
        return self.text
