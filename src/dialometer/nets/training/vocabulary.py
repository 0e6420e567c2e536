"""Numbers for words: the most frequent ones of a text; two numbers are kept for what is no word."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from dialometer.text.table import TokenTable
from dialometer.text.texts import Texts

UNKNOWN, END = 0, 1
FIRST = 2  # the number of the first word


@dataclass(frozen=True, eq=False)
class Symbols:
    """Words in the order of their numbers, which begin at 2; others are UNKNOWN."""

    words: Texts

    @classmethod
    def most_frequent(cls, table: TokenTable, limit: int) -> Symbols:
        """The commonest words, ties by spelling.

        >>> from dialometer.text.table import build_table
        >>> from dialometer.text.tokenisers.base import tokeniser
        >>> table = build_table(Texts.of(["tea tea cake", "apple"]), tokeniser("words"))
        >>> symbols = Symbols.most_frequent(table, 2)
        >>> symbols.numbers(["tea", "cake", "apple"]).tolist()
        [2, 0, 3]
        """
        counts = np.bincount(table.ids, minlength=len(table.words)).tolist()
        ranked = sorted(zip(counts, table.spellings(), strict=True), key=lambda entry: (-entry[0], entry[1]))
        return cls(Texts.of(word for _, word in ranked[:limit]))

    def __len__(self) -> int:
        """How many numbers there are."""
        return FIRST + len(self.words)

    def numbers(self, words: Sequence[str]) -> np.ndarray:
        """The number of each word (int64)."""
        return np.fromiter((self._index.get(word, UNKNOWN) for word in words), np.int64, len(words))

    @cached_property
    def _index(self) -> dict[str, int]:
        return {word: number for number, word in enumerate(self.words, FIRST)}
