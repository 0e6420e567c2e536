"""``embedding``: likeness of word vectors, as Embedding Average, Vector Extrema and Greedy Matching (Liu et al. 2016, §3.2).

Average: cosine of the mean vectors. Extrema: cosine of the vectors of each dimension's value of largest magnitude. Greedy:
each word's best cosine on the other side, averaged over words, then over both directions. Words without a vector are left out and
counted: ``coverage`` is known words / words of the response and its references.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import ClassVar

import numpy as np

from dialometer.core.cache import content_key
from dialometer.core.errors import NeedsError, UnknownName
from dialometer.core.protocols import Facts, Level, WordVectors
from dialometer.core.registry import create
from dialometer.metrics._embedding.cosines import pair_parts, similarities
from dialometer.metrics._embedding.explain import explain_pair
from dialometer.text.corpus import Corpus
from dialometer.text.lines import file_digest
from dialometer.text.table import row_sums
from dialometer.text.tokenisers.base import tokeniser
from dialometer.text.vectors.pooling import check_pool, means_and_coverage
from dialometer.text.vectors.weights import check_weights, count_words, file_counts, merge_counts, word_weights
from dialometer.text.vectors.words import WordTable, word_columns, word_table

VARIANTS = {
    "plain": "tok=words; unknown words are left out; the extreme is the maximum where it is at least the minimum's magnitude",
    "nlg-eval": "tok=ptb; unknown words stand at the mean of all vectors; ties go to the minimum, and a minimum of 0 gives 0",
}


@dataclass(frozen=True)
class Embedding:
    """Three cosines and the share of words that have a vector.

    ``weights`` idf and sif count words in the system's own references, or in ``text``, a file with one document a line.
    """

    variant: str = "plain"
    vectors: str = "wordllama"
    weights: str = "none"
    text: str = ""
    pool: str = "max"
    tok: str = ""
    facts: Mapping[str, Facts] = field(default_factory=dict, repr=False, compare=False)

    name: ClassVar[str] = "embedding"
    version: ClassVar[int] = 1
    unit: ClassVar[str] = "response"
    variants: ClassVar[tuple[str, ...]] = tuple(VARIANTS)
    needs: ClassVar[frozenset[str]] = frozenset({"reference"})
    columns: ClassVar[tuple[str, ...]] = ("embedding-average", "vector-extrema", "greedy-matching", "coverage")

    def __post_init__(self) -> None:
        if self.variant not in VARIANTS:
            raise UnknownName("variant of embedding", self.variant, VARIANTS, hint="dialometer list metrics embedding")
        check_weights("embedding", self.weights)
        check_pool("embedding", self.pool)

    @property
    def _tok(self) -> str:
        """The tokeniser that was named, else the variant's."""
        return self.tok or ("ptb" if self._nlg_eval else "words")

    def recipe_facts(self) -> dict[str, object]:
        """The vectors' and the tokeniser's own recipes, and where words were counted."""
        counted = (
            "no-text" if self.weights == "none" else f"file-{file_digest(self.text)}" if self.text else "own-references"
        )
        return {"vectors": self._source().recipe, "text": counted, "tok": tokeniser(self._tok).recipe}

    def prepare(self, corpus: Corpus, rows: np.ndarray) -> Facts:
        """Whether any word of the collection has a vector, and how often its references say each word."""
        table = corpus.table(self._tok)
        known = word_columns(table, self._source())[1]
        facts = {"known": np.array([int(known.sum())]), "words": np.array([len(known)])}
        if self.weights == "none":
            return facts
        if self.text:
            return facts | dict(file_counts(self.text, self.weights, self._tok))
        documents = corpus.references.grouped(rows, corpus.document_codes(rows))
        return facts | dict(count_words(table, documents, self.weights))

    def merge(self, parts: Sequence[Facts]) -> Facts:
        """Sums over parts; the counts of an outside file are the same in every part."""
        sums = {name: np.array([sum(int(part[name][0]) for part in parts)]) for name in ("known", "words")}
        counted = {} if self.weights == "none" else parts[0] if self.text else merge_counts(parts)
        return {**counted, **sums}

    def bind(self, facts: Mapping[str, Facts]) -> Embedding:
        """This metric with its counts; a collection without one known word is refused now."""
        words = max((int(part["words"][0]) for part in facts.values()), default=0)  # systems share the words of a shard
        if words and not sum(int(part["known"][0]) for part in facts.values()):
            raise NeedsError(
                f"embedding finds none of the {words:,} different words in the vectors {self.vectors!r}",
                "check that vectors and texts are of one language and one case: embedding(vectors=…,tok=…)",
            )
        one_of: dict[str, Facts] = {}
        shared = {}
        for system, part in facts.items():
            counts = [part[name] for name in ("total", "counts", "starts", "bytes") if name in part]
            shared[system] = one_of.setdefault(content_key(*counts) if len(facts) > 1 else "", part)
        return replace(self, facts=shared)

    def measure(self, corpus: Corpus) -> np.ndarray:
        """[scored, average, extrema, greedy, known words, words] per response."""
        rows, refs = np.zeros((len(corpus), 6)), corpus.references
        if not len(refs.rows):
            return rows
        table, has = corpus.table(self._tok), refs.counts() > 0
        words = self._words(corpus)
        for weights, items in self._weights(corpus):
            items = items[has[items]]
            rows[items, 1:4] = similarities(corpus, items, words, weights, self.pool, zero_minimum=self._nlg_eval)
        known = row_sums(word_columns(table, self._source())[1][table.ids], table.starts)
        for column, sizes in ((4, known), (5, table.lengths())):
            rows[:, column] = sizes[corpus.response]
            rows[has, column] += np.add.reduceat(sizes[refs.rows], refs.starts[:-1][has])
        rows[:, 0] = has
        rows[~has] = 0
        return rows

    def finish(self, totals: np.ndarray, *, level: Level) -> np.ndarray:
        """Means over scored responses; known words / words, 0 where there is no word at all."""
        return means_and_coverage(totals)

    def explain(self, corpus: Corpus, row: int) -> list[str]:
        """The matched words, unknown words by name, and the three cosines for each reference."""
        weights = next(weights for weights, items in self._weights(corpus) if row in items)
        words, table = self._words(corpus), corpus.table(self._tok)
        parts = pair_parts(corpus, np.array([row]), words, weights, self.pool, zero_minimum=self._nlg_eval)
        lines = [VARIANTS[self.variant], *explain_pair(corpus, row, table, words, weights, self.pool, parts)]
        scores = self.finish(self.measure(corpus)[row], level="item")
        pooled = {
            "max": "the best of each over references",
            "mean": "the mean over references",
            "centroid": "the references as one",
        }
        if corpus.references.counts()[row] > 1:
            lines.append(pooled[self.pool])
        return [*lines, "  ".join(f"{name} = {value:.6f}" for name, value in zip(self.columns, scores, strict=True))]

    @property
    def _nlg_eval(self) -> bool:
        return self.variant == "nlg-eval"

    def _words(self, corpus: Corpus) -> WordTable:
        return word_table(corpus.table(self._tok), self._source(), unknown="centre" if self._nlg_eval else "skip")

    def _weights(self, corpus: Corpus) -> Iterator[tuple[np.ndarray, np.ndarray]]:
        """Word weights and the rows that they are for; systems with equal counts go together."""
        systems = corpus.system_rows()
        bound = self if self.facts else self.bind({system: self.prepare(corpus, rows) for system, rows in systems.items()})
        members: dict[int, list[np.ndarray]] = {}
        for system, rows in systems.items():
            members.setdefault(id(bound.facts[system]), []).append(rows)
        facts = {id(part): part for part in bound.facts.values()}
        table = corpus.table(self._tok)
        for key, parts in members.items():
            counts = None if self.weights == "none" else facts[key]
            yield word_weights(table, counts, self.weights), np.sort(np.concatenate(parts))

    def _source(self) -> WordVectors:
        made: WordVectors = create("vector", self.vectors)
        return made
