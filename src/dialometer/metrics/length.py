"""``length``: how long responses are, the baseline that every metric must beat (Lowe et al. 2017, §5)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from dialometer.core.protocols import Level
from dialometer.text.corpus import Corpus
from dialometer.text.tokenisers.base import tokeniser


@dataclass(frozen=True)
class Length:
    """Words, characters, and words minus those of the closest reference (NaN without one).

    >>> length = Length()
    >>> length.finish(length.measure(Corpus.of(["so am i !"], [["yes", "me too"]])), level="item").tolist()
    [[4.0, 9.0, 2.0]]
    """

    tok: str = "words"

    name: ClassVar[str] = "length"
    version: ClassVar[int] = 1
    unit: ClassVar[str] = "response"
    needs: ClassVar[frozenset[str]] = frozenset()
    columns: ClassVar[tuple[str, ...]] = ("words", "chars", "words-difference")
    floor: ClassVar[float] = float("nan")  # a length has no value that means "nothing found"

    def recipe_facts(self) -> dict[str, object]:
        """The tokeniser's own recipe."""
        return {"tok": tokeniser(self.tok).recipe}

    def measure(self, corpus: Corpus) -> np.ndarray:
        """[1, has a reference, words, characters, difference] per response."""
        words = corpus.table(self.tok).lengths()
        mine = words[corpus.response]
        refs = corpus.references
        has = refs.counts() > 0
        rows = np.zeros((len(corpus), 5))
        rows[:, 0] = 1
        rows[:, 1] = has
        rows[:, 2] = mine
        rows[:, 3] = corpus.texts.characters()[corpus.response]
        if has.any():
            # of two equally close references the shorter one counts, as in BLEU: order by (distance, length)
            distance = np.abs(words[refs.rows] - np.repeat(mine, refs.counts()))
            rank = distance * (words.max(initial=0) + 1) + words[refs.rows]
            nearest = np.minimum.reduceat(rank, refs.starts[:-1][has]) % (words.max(initial=0) + 1)
            rows[has, 4] = mine[has] - nearest
        return rows

    def finish(self, totals: np.ndarray, *, level: Level) -> np.ndarray:
        """Means over responses; the difference over those that have a reference."""
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.concatenate([totals[..., 2:4] / totals[..., :1], totals[..., 4:] / totals[..., 1:2]], axis=-1)

    def explain(self, corpus: Corpus, row: int) -> list[str]:
        """The words that were counted."""
        return [
            f"{len(tokens)} words: {' '.join(tokens)}" for tokens in [corpus.table(self.tok).tokens(corpus.response[row])]
        ]
