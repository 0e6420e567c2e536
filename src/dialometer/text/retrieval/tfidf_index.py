"""Tf-idf vectors of texts, and an index that finds the nearest documents (Liu et al. 2016, section 4.1).

``tfidf(w, c) = f(w, c) · ln(N / N_w)``: how often the word occurs, N dialogues, N_w of them with the word. A document is one or
more texts of a token table: a context is its turns. Vectors have length 1, so that a product is a cosine.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from dialometer.core.errors import NeedsError
from dialometer.kernels.jit import run
from dialometer.kernels.postings import nearest
from dialometer.text.corpus import Rows
from dialometer.text.table import TokenTable
from dialometer.text.vectors.weights import count_words, word_weights

COMMON = (80, 15, 0)  # words of each level whose postings are read only if they must
IDF = {
    "paper": "ln(N / N_w)",
    "smooth": "ln((1 + N) / (1 + N_w)) + 1",
}


@dataclass(frozen=True, eq=False)
class TfidfSpace:
    """Words that weigh something, rarest first, with their inverse document frequencies."""

    words: list[str]
    idf: np.ndarray

    @classmethod
    def of(cls, table: TokenTable, talks: Rows, how: str = "paper") -> TfidfSpace:
        """Document frequencies of dialogues; a word of all of them weighs nothing under the paper's formula.

        >>> from dialometer.text.table import build_table
        >>> from dialometer.text.texts import Texts
        >>> from dialometer.text.tokenisers.base import tokeniser
        >>> table = build_table(Texts.of(["tea ?", "no tea", "cake ?"]), tokeniser("words"))
        >>> space = TfidfSpace.of(table, Rows.of([[0, 1], [2]]))
        >>> space.words, space.idf.round(3).tolist()
        (['tea', 'no', 'cake'], [0.693, 0.693, 0.693])
        """
        counts = count_words(table, talks, "idf")
        found = counts["counts"]
        idf = (
            word_weights(table, counts, "idf")
            if how == "smooth"
            else np.log(len(talks.starts) - 1) - np.log(np.maximum(found, 1))
        )
        numbers = np.flatnonzero((found > 0) & (idf > 0))
        if not len(numbers):
            raise NeedsError(
                f"tf-idf gives no word a weight: each is said in all of the {len(talks.starts) - 1} conversations",
                "give more dialogues, or idf=smooth, which weighs every word",
            )
        numbers = numbers[np.argsort(found[numbers], kind="stable")]
        spellings = table.spellings()
        return cls([spellings[number] for number in numbers.tolist()], idf[numbers])

    @cached_property
    def _index(self) -> dict[str, int]:
        return {word: number for number, word in enumerate(self.words)}

    def vectors(self, table: TokenTable, documents: Rows) -> Any:
        """A CSR matrix, documents × words, of unit rows with sorted words; zeros where no word is known."""
        from scipy.sparse import csr_matrix

        index = self._index
        known = np.fromiter((index.get(word, -1) for word in table.spellings()), np.int32, len(table.words))
        lengths = table.lengths()[documents.rows]
        ends = np.cumsum(lengths)
        at = np.repeat(table.starts[documents.rows] - (ends - lengths), lengths) + np.arange(int(lengths.sum()))
        words = known[table.ids[at]]
        kept = words >= 0
        running = np.concatenate([[0], np.cumsum(kept)])
        starts = running[np.concatenate([[0], ends])[documents.starts]]
        shape = (len(documents.starts) - 1, len(self.words))
        matrix = csr_matrix((np.ones(int(starts[-1])), words[kept], starts), shape=shape)
        matrix.sum_duplicates()
        matrix.data *= self.idf[matrix.indices]
        norms = np.sqrt(np.bincount(_rows_of(matrix), matrix.data**2, shape[0]))
        matrix.data /= np.repeat(norms, np.diff(matrix.indptr))
        return matrix


@dataclass(frozen=True, eq=False)
class TfidfIndex:
    """Documents by their words, and words by their documents; ``reply`` is the number of the reply to each document."""

    space: TfidfSpace
    by_document: Any
    by_word: Any
    reply: np.ndarray

    @classmethod
    def of(cls, space: TfidfSpace, table: TokenTable, documents: Rows, reply: np.ndarray) -> TfidfIndex:
        """Index documents."""
        matrix = space.vectors(table, documents)
        return cls(space, matrix, matrix.astype(np.float32).tocsc(), reply.astype(np.int32))

    @cached_property
    def _common(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Per level: from which word on words are common, the length of each document's common part, documents from the longest."""
        size, matrix = len(self.space.words), self.by_document
        cuts = np.array([max(size - number, 0) for number in COMMON], np.int64)
        rows = _rows_of(matrix)
        parts = [np.where(matrix.indices >= cut, matrix.data, 0.0) ** 2 for cut in cuts.tolist()]
        tails = np.stack([np.sqrt(np.bincount(rows, part, matrix.shape[0])) for part in parts])
        return cuts, tails.astype(np.float32).ravel(), np.argsort(-tails, axis=1, kind="stable").astype(np.int32).ravel()

    def search(self, queries: Any, k: int, left: Rows | None = None) -> tuple[np.ndarray, np.ndarray]:
        """(n, k) documents with different replies, best first (−1 where there are no more), and their cosines.

        ``left`` names documents that are not in the pool of a query. Equal cosines come in the order of the documents.
        """
        n, size = queries.shape[0], self.by_document.shape[0]
        left = left or Rows(np.zeros(n + 1, np.int64), np.zeros(0, np.int32))
        docs, scores = np.full(n * k, -1, np.int64), np.zeros(n * k)
        frequency = np.diff(self.by_word.indptr)
        run(
            nearest, *_arrays(self.by_word), *_arrays(self.by_document), self.reply, *self._common,
            *_arrays(queries), queries.data.astype(np.float32), left.starts, left.rows, k, docs, scores,
            np.zeros(size, np.float32), np.zeros(size + 1, np.int64), np.zeros(len(self.space.words)),
            np.zeros(k, np.int64), np.zeros(k),
            steps=int(frequency[queries.indices].sum()) + n * k,
        )  # fmt: skip
        return docs.reshape(n, k), scores.reshape(n, k)


def cosines(left: Any, right: Any, which: np.ndarray) -> np.ndarray:
    """(n, m): row i of ``left`` with the rows ``which[i]`` of ``right``."""
    return np.stack([np.asarray(left.multiply(right[column]).sum(axis=1)).ravel() for column in which.T], axis=1)


def _rows_of(matrix: Any) -> np.ndarray:
    return np.repeat(np.arange(matrix.shape[0]), np.diff(matrix.indptr))


def _arrays(matrix: Any) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Starts, numbers and values in the dtypes of the kernels."""
    return matrix.indptr.astype(np.int64), matrix.indices.astype(np.int32, copy=False), matrix.data
