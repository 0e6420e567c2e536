"""``distinct``: the share of n-grams that are different ones (Li et al. 2016), and a form that does not fall with size.

``distinct-n = kinds of n-grams / n-grams``. The adjusted form is rarefaction (Hurlbert 1971): the expected distinct-n of
``sample`` n-grams drawn without replacement, ``1/m Σ_g [1 − C(N − c_g, m) / C(N, m)]``; NaN when there are fewer than that.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from dialometer.core.ranges import Size, check_fields
from dialometer.text.corpus import Corpus
from dialometer.text.table import TokenTable
from dialometer.text.tokenisers.base import tokeniser


@dataclass(frozen=True)
class Distinct:
    """Of a set of responses: n-grams within a response, kinds over the whole set.

    >>> Distinct(sample=3).score(Corpus.of(["i like tea", "i like you"]), np.arange(2)).round(3).tolist()
    [0.667, 0.75, 0.867, 0.833]
    """

    sample: Size = 1000
    tok: str = "words"

    name: ClassVar[str] = "distinct"
    version: ClassVar[int] = 1
    unit: ClassVar[str] = "response"
    needs: ClassVar[frozenset[str]] = frozenset()
    columns: ClassVar[tuple[str, ...]] = ("distinct-1", "distinct-2", "distinct-1-adjusted", "distinct-2-adjusted")

    def __post_init__(self) -> None:
        check_fields(self)

    def recipe_facts(self) -> dict[str, object]:
        """The tokeniser's own recipe."""
        return {"tok": tokeniser(self.tok).recipe}

    def score(self, corpus: Corpus, rows: np.ndarray) -> np.ndarray:
        """The four numbers of these rows taken together."""
        table = corpus.table(self.tok)
        texts, times = np.unique(corpus.response[rows], return_counts=True)
        counts = [gram_counts(table, texts, times, n) for n in (1, 2)]
        plain = [len(c) / c.sum() if len(c) else np.nan for c in counts]
        return np.array([*plain, *(rarefy(c, self.sample) for c in counts)])

    def explain(self, corpus: Corpus, row: int) -> list[str]:
        """How many n-grams one response has, and how many kinds."""
        table, texts = corpus.table(self.tok), corpus.response[[row]]
        counts = [gram_counts(table, texts, np.ones(1, np.int64), n) for n in (1, 2)]
        return [f"order {n + 1}: {len(c)} kinds among {c.sum()} n-grams" for n, c in enumerate(counts)]


def gram_counts(table: TokenTable, texts: np.ndarray, times: np.ndarray, n: int) -> np.ndarray:
    """How often each different n-gram (n = 1 or 2) occurs in texts with these multiplicities."""
    lengths = table.lengths()[texts]
    sizes = np.maximum(lengths - n + 1, 0)
    first = np.repeat(table.starts[texts], sizes) + np.arange(sizes.sum()) - np.repeat(np.cumsum(sizes) - sizes, sizes)
    keys = table.ids[first].astype(np.int64)
    if n == 2:
        keys = (keys << 32) | table.ids[first + 1]
    _, inverse = np.unique(keys, return_inverse=True)
    return np.bincount(inverse, np.repeat(times, sizes)).astype(np.int64)


def rarefy(counts: np.ndarray, sample: int) -> float:
    """Expected share of kinds among ``sample`` n-grams drawn without replacement."""
    total = int(counts.sum())
    if total < sample:
        return float("nan")
    sizes, kinds = np.unique(np.asarray(counts, np.int64), return_counts=True)
    # C(N − c, m) / C(N, m) = Π (1 − m / (N − i)) over i < c: sums of small logarithms lose nothing, factorials would
    last = min(int(sizes[-1]), total - sample + 1)
    with np.errstate(divide="ignore"):
        missed = np.cumsum(np.log1p(-sample / (total - np.arange(last))))
    drawn = -np.expm1(missed[np.minimum(sizes, last) - 1])
    return float((kinds * drawn).sum() / sample)
