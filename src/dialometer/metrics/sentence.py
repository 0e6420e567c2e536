"""``sentence``: cosine of the sentence vectors of response and reference (Reimers and Gurevych 2019).

With several references: the best cosine, their mean, or the cosine with the centroid of their vectors. ``sentence-coverage`` is
known words / words of the response and its references.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from dialometer.core.protocols import Encoder, Fits, Level
from dialometer.core.registry import create
from dialometer.text.corpus import Corpus
from dialometer.text.vectors.pooling import (
    centroid_cosines,
    check_pool,
    means_and_coverage,
    pair_cosines,
    pool,
    row_cosines,
)
from dialometer.text.vectors.sentences import sentence_coverage, sentence_vectors, with_references


@dataclass(frozen=True)
class Sentence:
    """One cosine from −1 to 1; 0 for a response without any known word."""

    encoder: str = "minilm"
    pool: str = "max"

    name: ClassVar[str] = "sentence"
    version: ClassVar[int] = 1
    unit: ClassVar[str] = "response"
    needs: ClassVar[frozenset[str]] = frozenset({"reference"})
    columns: ClassVar[tuple[str, ...]] = ("sentence-cosine", "sentence-coverage")

    def __post_init__(self) -> None:
        check_pool("sentence", self.pool)

    def recipe_facts(self) -> dict[str, object]:
        """The encoder's own recipe."""
        return {"encoder": self._encoder().recipe}

    def measure(self, corpus: Corpus) -> np.ndarray:
        """[scored, cosine, known words, words] per response."""
        refs, encoder = corpus.references, self._encoder()
        has = refs.counts() > 0
        rows = np.zeros((len(corpus), 4))
        if not has.any():
            return rows
        used = np.union1d(corpus.response[has], refs.rows)
        place = np.zeros(len(corpus.texts), np.int64)
        place[used] = np.arange(len(used))
        vectors = sentence_vectors(corpus, encoder, used)
        covered = sentence_coverage(corpus, encoder, used)
        own, theirs = place[corpus.response], place[refs.rows]
        rows[:, 0] = 1
        if self.pool == "centroid":
            rows[:, 1] = centroid_cosines(vectors, own, theirs, refs.starts)
        else:
            cosines = pair_cosines(vectors, np.repeat(own, refs.counts()), theirs)
            rows[:, 1] = pool(cosines, refs.starts, self.pool)
        rows[:, 2:] = with_references(refs, covered[own], covered[theirs])
        rows[~has] = 0
        return rows

    def finish(self, totals: np.ndarray, *, level: Level) -> np.ndarray:
        """The mean over scored responses; known words / words, 0 where there is no word."""
        return means_and_coverage(totals)

    def seen(self) -> np.ndarray:
        """Hashes of the texts that the encoder was fitted on; none for one that was not."""
        encoder = self._encoder()
        return encoder.seen() if isinstance(encoder, Fits) else np.zeros(0, np.uint64)

    def explain(self, corpus: Corpus, row: int) -> list[str]:
        """The known words of the response, and the cosine with each reference."""
        encoder, refs = self._encoder(), corpus.references
        texts = np.concatenate([corpus.response[[row]], refs.rows[refs.flat(np.array([row]))]])
        vectors = sentence_vectors(corpus, encoder, texts)
        known = sentence_coverage(corpus, encoder, texts)
        lines = [f"vectors of {encoder.recipe}; it knows {known[0, 0]} of {known[0, 1]} words of the response"]
        if not known[0, 0]:
            lines.append("a response of which nothing is known scores 0")
        for number, cosine in enumerate(row_cosines(np.repeat(vectors[:1], len(texts) - 1, axis=0), vectors[1:]), 1):
            lines.append(f"reference {number}: cosine {cosine:.4f}, {known[number, 0]} of {known[number, 1]} words known")
        score = self.finish(self.measure(corpus)[row], level="item")
        how = {"max": "the best of them", "mean": "their mean", "centroid": "the cosine with the references' centroid"}
        return [*lines, f"sentence-cosine = {how[self.pool]} = {score[0]:.6f}; coverage {score[1]:.4f}"]

    def _encoder(self) -> Encoder:
        made: Encoder = create("encoder", self.encoder)
        return made
