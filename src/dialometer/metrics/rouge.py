"""``rouge``: n-gram and longest-common-subsequence F-measures (Lin 2004).

``F = (1 + β²) P R / (R + β² P)``; β = 1.2 in the dialogue papers (Lowe et al. 2017, eq. 8–10), 1 in summarisation.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from dialometer.core.errors import UnknownName
from dialometer.core.protocols import Level
from dialometer.core.ranges import Positive, check_fields
from dialometer.text.corpus import Corpus
from dialometer.text.ngram_matches import shared_ngrams, shared_subsequences
from dialometer.text.tokenisers.base import tokeniser

VARIANTS = {
    "best": "the best F over references",
    "coco": "the best P and the best R, from different references if need be",
}


@dataclass(frozen=True)
class Rouge:
    """ROUGE-1, ROUGE-2 and ROUGE-L between 0 and 1.

    >>> corpus = Corpus.of(["a b c d"], [["a b", "a b c d e f g h"]])
    >>> [round(float(r.finish(r.measure(corpus), level="item")[0, 2]), 3) for r in (Rouge(), Rouge(beta=1), Rouge("coco"))]
    [0.709, 0.667, 1.0]
    """

    variant: str = "best"
    beta: Positive = 1.2
    kinds: str = "1+2+l"
    tok: str = "words"

    name: ClassVar[str] = "rouge"
    version: ClassVar[int] = 1
    unit: ClassVar[str] = "response"
    variants: ClassVar[tuple[str, ...]] = tuple(VARIANTS)
    needs: ClassVar[frozenset[str]] = frozenset({"reference"})
    shorter: ClassVar[dict[str, int]] = {"1": 0, "2": 1, "l": 0}  # how many fewer n-grams than words

    def __post_init__(self) -> None:
        if self.variant not in VARIANTS:
            raise UnknownName("variant of rouge", self.variant, VARIANTS, hint="dialometer list metrics rouge")
        check_fields(self)
        for kind in self.kinds.split("+"):
            if kind not in self.shorter:
                raise UnknownName("kind of rouge", kind, self.shorter, hint='rouge(kinds="1+2+l")')

    @property
    def columns(self) -> tuple[str, ...]:
        """One column per kind."""
        return tuple(f"rouge-{kind}" for kind in self.kinds.split("+"))

    def recipe_facts(self) -> dict[str, object]:
        """The tokeniser's own recipe."""
        return {"tok": tokeniser(self._tok).recipe}

    @property
    def _tok(self) -> str:
        """The COCO code cuts at single spaces where it is given white-space tokens: empty tokens count."""
        return "space" if self.variant == "coco" and self.tok == "whitespace" else self.tok

    def measure(self, corpus: Corpus) -> np.ndarray:
        """[scored, ROUGE of each kind…] per response."""
        precision, recall = self._pairs(corpus)
        refs = corpus.references
        rows = np.zeros((len(corpus), 1 + len(self.columns)))
        has = refs.counts() > 0
        if has.any():
            heads = refs.starts[:-1][has]
            if self.variant == "coco":
                best = f_measure(highest(precision, heads), highest(recall, heads), self.beta)
            else:
                best = highest(f_measure(precision, recall, self.beta), heads)
            rows[has, 0] = 1
            rows[has, 1:] = best
        return rows

    def finish(self, totals: np.ndarray, *, level: Level) -> np.ndarray:
        """The mean over scored responses."""
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.where(totals[..., :1] > 0, totals[..., 1:] / totals[..., :1], np.nan)

    def _pairs(self, corpus: Corpus) -> tuple[np.ndarray, np.ndarray]:
        """Precision and recall of each (response, reference), a column per kind."""
        lengths = corpus.table(self._tok).lengths()
        refs, kinds = corpus.references, self.kinds.split("+")
        grams = shared_ngrams(corpus, self._tok, 2) if {"1", "2"} & set(kinds) else None
        precision, recall = np.empty((2, len(refs.rows), len(kinds)))
        for column, kind in enumerate(kinds):
            common = shared_subsequences(corpus, self._tok) if grams is None or kind == "l" else grams[:, int(kind) - 1]
            sizes = np.maximum(lengths - self.shorter[kind], 1)
            np.divide(common, np.repeat(sizes[corpus.response], refs.counts()), out=precision[:, column])
            np.divide(common, sizes[refs.rows], out=recall[:, column])
        return precision, recall

    def explain(self, corpus: Corpus, row: int) -> list[str]:
        """What one response shares with each reference, precision, recall and F."""
        precision, recall = self._pairs(corpus)
        f = f_measure(precision, recall, self.beta)
        lengths, refs = corpus.table(self._tok).lengths(), corpus.references
        lines = []
        for number, pair in enumerate(range(refs.starts[row], refs.starts[row + 1]), 1):
            parts = []
            for column, kind in enumerate(self.kinds.split("+")):
                mine, theirs = (
                    max(int(lengths[text]) - self.shorter[kind], 1) for text in (corpus.response[row], refs.rows[pair])
                )
                shared = round(precision[pair, column] * mine)
                parts.append(
                    f"rouge-{kind} P {shared}/{mine} = {precision[pair, column]:.4f} "
                    f"R {shared}/{theirs} = {recall[pair, column]:.4f} F {f[pair, column]:.4f}"
                )
            lines.append(f"reference {number}: {'  '.join(parts)}")
        score = self.finish(self.measure(corpus)[row], level="item")
        lines.append(f"{VARIANTS[self.variant]} (β = {self.beta:g})")
        return [*lines, "  ".join(f"{name} = {value:.6f}" for name, value in zip(self.columns, score, strict=True))]


def highest(values: np.ndarray, heads: np.ndarray) -> np.ndarray:
    """The largest value of each stretch of rows; ``heads`` are the first rows of stretches, none of them empty."""
    return values if len(heads) == len(values) else np.maximum.reduceat(values, heads)


def f_measure(precision: np.ndarray, recall: np.ndarray, beta: float) -> np.ndarray:
    """F with recall weighted β times; 0 where nothing is shared."""
    under = recall + beta**2 * precision
    return np.divide((1 + beta**2) * precision * recall, under, out=np.zeros_like(under), where=under > 0)
