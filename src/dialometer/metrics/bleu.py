"""``bleu``: clipped n-gram precision with brevity penalty (Papineni et al. 2002), in the variants that are in use.

``BLEU-N = BP · exp(1/N Σ log p_n)``, ``BP = exp(1 − r/c)`` when the response length c is below the closest reference length r.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, NamedTuple

import numpy as np

from dialometer.core.errors import SpecError, UnknownName
from dialometer.core.protocols import Level
from dialometer.core.ranges import Order, check_fields
from dialometer.metrics._bleu.smoothing import ONE_ORDER_MORE, SMOOTHINGS, running_sum
from dialometer.text.corpus import Corpus
from dialometer.text.ngram_matches import bleu_rows
from dialometer.text.tokenisers.base import tokeniser


class BleuVariant(NamedTuple):
    """How a tool turns counts into BLEU."""

    smooth: str
    effective: bool = False  # a response shorter than N words is judged on the orders it has (items only)
    least_one: bool = False  # an order without n-grams counts as one n-gram (NLTK)


VARIANTS = {
    "sacrebleu": BleuVariant("exp", effective=True),
    "coco": BleuVariant("none"),
    "nltk-m1": BleuVariant("m1", least_one=True),
    "parlai": BleuVariant("tiny", least_one=True),
    "plain": BleuVariant("none"),
}
TINY, SMALL = 1e-15, 1e-9  # the constants that the COCO code adds to counts


@dataclass(frozen=True)
class Bleu:
    """BLEU-1 … BLEU-``order`` between 0 and 1.

    >>> corpus = Corpus.of(["i am fine"], [["i am fine"]])
    >>> [round(float(m.finish(m.measure(corpus), level="item")[0, 3]), 4) for m in map(Bleu, VARIANTS)]
    [1.0, 0.0316, 0.5623, 0.001, 0.0]
    """

    variant: str = "sacrebleu"
    order: Order = 4
    smooth: str = ""
    tok: str = "words"

    name: ClassVar[str] = "bleu"
    version: ClassVar[int] = 1
    unit: ClassVar[str] = "response"
    variants: ClassVar[tuple[str, ...]] = tuple(VARIANTS)
    needs: ClassVar[frozenset[str]] = frozenset({"reference"})

    def __post_init__(self) -> None:
        if self.variant not in VARIANTS:
            raise UnknownName("variant of bleu", self.variant, VARIANTS, hint="dialometer list metrics bleu")
        if self.smooth and self.smooth not in SMOOTHINGS:
            raise UnknownName("smoothing of bleu", self.smooth, SMOOTHINGS, hint="dialometer list metrics bleu")
        if self.smooth and self.variant == "coco":
            raise SpecError(
                "the coco variant of bleu has its own constants and takes no smoothing", "bleu(variant=plain,smooth=…)"
            )
        check_fields(self)

    @property
    def columns(self) -> tuple[str, ...]:
        """One column per order."""
        return tuple(f"bleu-{n}" for n in range(1, self.order + 1))

    def recipe_facts(self) -> dict[str, object]:
        """What the variant settles."""
        return {"smooth": self.smooth or VARIANTS[self.variant].smooth, "tok": tokeniser(self.tok).recipe}

    def measure(self, corpus: Corpus) -> np.ndarray:
        """[scored, c, r, matches…, n-grams…] per response."""
        rows = bleu_rows(corpus, self.tok, self._orders)
        if VARIANTS[self.variant].least_one:
            totals = rows[:, 3 + self._orders :]
            np.maximum(totals, rows[:, :1], out=totals)
        return rows

    def finish(self, totals: np.ndarray, *, level: Level) -> np.ndarray:
        """BLEU-1 … BLEU-N from summed rows."""
        k = self._orders
        scored, length, reference = totals[..., 0], totals[..., 1], totals[..., 2]
        correct, grams = totals[..., 3 : 3 + k], totals[..., 3 + k :]
        with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
            if self.variant == "coco":
                score = _coco(correct, grams, length, reference)
            else:
                score = self._score(correct, grams, length, level) * brevity(length, reference)[..., None]
        return np.where(scored[..., None] > 0, score, np.nan)

    def _score(self, correct: np.ndarray, grams: np.ndarray, length: np.ndarray, level: Level) -> np.ndarray:
        variant = VARIANTS[self.variant]
        p = SMOOTHINGS[self.smooth or variant.smooth](correct, grams, length)[..., : self.order]
        orders = np.arange(1.0, self.order + 1)
        if variant.effective and level == "item":
            present = grams[..., : self.order] > 0
            p, orders = np.where(present, p, 1.0), np.maximum(running_sum(present.astype(float)), 1)
        score = np.exp(running_sum(np.log(p)) / orders)
        return np.where(correct[..., :1] > 0, score, 0.0)

    @property
    def _orders(self) -> int:
        smooth = self.smooth or VARIANTS[self.variant].smooth
        return self.order + (smooth in ONE_ORDER_MORE)

    def explain(self, corpus: Corpus, row: int) -> list[str]:
        """Counts, clipping and brevity of one response."""
        k, stats = self._orders, self.measure(corpus)[row]
        correct, grams = stats[3 : 3 + k], stats[3 + k :]
        smooth = SMOOTHINGS[self.smooth or VARIANTS[self.variant].smooth]
        p = (
            smooth(correct[None], grams[None], stats[1:2])[0]
            if self.variant != "coco"
            else (correct + TINY) / (grams + SMALL)
        )
        lines = [
            f"order {n + 1}: {found} of {grams[n]:.0f} n-grams found, {correct[n]:.0f} after clipping → p{n + 1} = {p[n]:.6g}"
            for n, found in enumerate(self._count_unclipped(corpus, row))
        ]
        penalty = brevity(stats[1:2], stats[2:3])[0]
        lines.append(f"length {stats[1]:.0f}, closest reference {stats[2]:.0f} → brevity penalty {penalty:.6f}")
        score = self.finish(stats, level="item")
        return [*lines, "  ".join(f"{name} = {value:.6f}" for name, value in zip(self.columns, score, strict=True))]

    def _count_unclipped(self, corpus: Corpus, row: int) -> list[int]:
        """N-grams of a response that occur in some reference, with repetitions."""
        table, refs = corpus.table(self.tok), corpus.references
        mine = table.tokens(corpus.response[row])
        theirs = [table.tokens(text) for text in refs.rows[refs.starts[row] : refs.starts[row + 1]]]
        known = {tuple(t[i : i + n]) for t in theirs for n in range(1, self.order + 1) for i in range(len(t) - n + 1)}
        return [sum(tuple(mine[i : i + n]) in known for i in range(len(mine) - n + 1)) for n in range(1, self.order + 1)]


def brevity(length: np.ndarray, reference: np.ndarray) -> np.ndarray:
    """exp(1 − r/c) below the reference length; 0 for an empty response."""
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(length == 0, 0.0, np.exp(np.minimum(0.0, 1.0 - reference / length)))


def _coco(correct: np.ndarray, grams: np.ndarray, length: np.ndarray, reference: np.ndarray) -> np.ndarray:
    """The COCO caption code's form: constants in place of smoothing, also in the length ratio."""
    product = np.cumprod((correct + TINY) / (grams + SMALL), axis=-1)
    score = product ** (1.0 / np.arange(1, correct.shape[-1] + 1))
    ratio = (length + TINY) / (reference + SMALL)
    return score * np.exp(np.minimum(0.0, 1.0 - 1.0 / ratio))[..., None]
