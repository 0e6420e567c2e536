"""What a judge of single replies looks at: vectors of context, reply and reference, words, length, and further features."""

from __future__ import annotations

from dataclasses import dataclass, fields

import numpy as np

from dialometer.core.protocols import Encoder
from dialometer.core.rowwise import row_dots
from dialometer.judges._bilinear.self_overlap import self_overlap_columns
from dialometer.judges._shared.features import feature_columns
from dialometer.judges._shared.vectors import context_reply_vectors, context_vectors, reference_vectors, response_vectors
from dialometer.text.corpus import Corpus


@dataclass(frozen=True, eq=False)
class Views:
    """One row per example; a part that the judge does not look at has no columns."""

    context: np.ndarray
    reference: np.ndarray
    response: np.ndarray
    words: np.ndarray  # the mean of the reply's word vectors
    exchange: np.ndarray  # last turns of the context and the reply, concatenated
    lengths: np.ndarray  # words of the reply
    self_overlap: np.ndarray  # n-gram overlap of the reply with its context and with itself
    features: np.ndarray

    def take(self, rows: np.ndarray) -> Views:
        """Some of the examples."""
        return Views(*(getattr(self, part.name)[rows] for part in fields(self)))


def views(
    corpus: Corpus,
    encoder: Encoder,
    sides: frozenset[str],
    *,
    words: Encoder | None = None,
    exchange: bool = False,
    self_overlap: bool = False,
    features: str = "",
) -> Views:
    """``sides`` are context, reference or both. Of several references the one nearest to the reply counts, by cosine."""
    n, response = len(corpus), response_vectors(corpus, encoder)
    none = np.zeros((n, 0))
    return Views(
        context_vectors(corpus, encoder) if "context" in sides else none,
        _nearest(corpus, encoder, response) if "reference" in sides else none,
        response,
        response_vectors(corpus, words) if words else none,
        context_reply_vectors(corpus, encoder) if exchange else none,
        corpus.table("words").lengths()[corpus.response].astype(np.float64),
        self_overlap_columns(corpus) if self_overlap else none,
        feature_columns(corpus, features)[0] if features else none,
    )


def _nearest(corpus: Corpus, encoder: Encoder, response: np.ndarray) -> np.ndarray:
    """The vector of each reply's nearest reference, the first of equals; zeros where there is none."""
    refs = corpus.references
    theirs = reference_vectors(corpus, encoder)
    made = np.zeros_like(response)
    has = refs.counts() > 0
    if not has.any():
        return made
    owner = np.repeat(np.arange(len(corpus)), refs.counts())
    sizes = np.linalg.norm(theirs, axis=1)
    cosine = row_dots(theirs, response[owner]) / np.where(sizes > 0, sizes, 1)
    order = np.lexsort((np.arange(len(owner)), -cosine, owner))
    made[has] = theirs[order[refs.starts[:-1][has]]]
    return made
