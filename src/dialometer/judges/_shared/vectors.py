"""The vectors a judge sees: of each response, of each reference, of each context, and of the end of it with the response."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from dialometer.core.protocols import ContextEncoder, Encoder
from dialometer.text.corpus import Corpus
from dialometer.text.vectors.sentences import sentence_vectors

FADING = 0.5  # what an utterance counts for against the one after it
HEARD = 5  # utterances of a context, the last ones
EXCHANGE = 2  # last turns of the context that are concatenated with the reply


def response_vectors(corpus: Corpus, encoder: Encoder) -> np.ndarray:
    """(examples, width) float64."""
    return _unique(corpus, encoder, corpus.response)


def reference_vectors(corpus: Corpus, encoder: Encoder) -> np.ndarray:
    """(references, width) float64, in the order of ``corpus.references.rows``."""
    return _unique(corpus, encoder, corpus.references.rows)


def context_vectors(corpus: Corpus, encoder: Encoder) -> np.ndarray:
    """(examples, width) float64: what the encoder makes of the whole, or the mean of the last turns, the latest counting most.

    A context without turns, and one of which the encoder knows nothing, has a vector of zeros. The mean is as long as a single
    vector: an encoder whose vectors have length 1 gives a context of length 1.
    """
    contexts, n = corpus.contexts, len(corpus)
    if isinstance(encoder, ContextEncoder):
        return _heard(corpus, encoder)
    counts = np.minimum(contexts.counts(), HEARD)
    ends = np.repeat(contexts.starts[1:], counts)
    back = np.concatenate([np.arange(count, 0, -1) for count in counts]) if n else np.zeros(0, np.int64)
    vectors = _unique(corpus, encoder, contexts.rows[ends - back.astype(np.int64)])
    weights = FADING ** (back - 1.0)
    owner = np.repeat(np.arange(n), counts)
    sums, lengths = np.zeros((n, encoder.width)), np.zeros(n)
    np.add.at(sums, owner, vectors * weights[:, None])
    np.add.at(lengths, owner, np.linalg.norm(vectors, axis=1) * weights)
    total = np.bincount(owner, weights, n)
    size = np.linalg.norm(sums, axis=1)
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(size[:, None] > 0, sums * (lengths / total / size)[:, None], 0.0)


def context_reply_vectors(corpus: Corpus, encoder: Encoder) -> np.ndarray:
    """(examples, width) float64: the last turns and the response, read as one text; each distinct one is encoded once."""
    known: dict[tuple[int, ...], np.ndarray] = corpus._vectors.setdefault(f"exchange {encoder.recipe}", {})
    starts, rows = corpus.contexts.starts, corpus.contexts.rows
    keys = [
        (*rows[max(start, end - EXCHANGE) : end].tolist(), own)
        for start, end, own in zip(starts[:-1], starts[1:], corpus.response.tolist(), strict=True)
    ]
    new = [key for key in dict.fromkeys(keys) if key not in known]
    if new:
        joined = Corpus.of([" ".join(corpus.texts[row] for row in key) for key in new])
        known |= zip(new, _unique(replace(joined, keep=corpus.keep), encoder, joined.response), strict=True)
    return np.stack([known[key] for key in keys]) if keys else np.zeros((0, encoder.width))


def _heard(corpus: Corpus, encoder: ContextEncoder) -> np.ndarray:
    """Distinct contexts, each heard once."""
    contexts = corpus.contexts
    lists = [tuple(contexts.rows[a:b].tolist()) for a, b in zip(contexts.starts, contexts.starts[1:], strict=False)]
    place = {rows: number for number, rows in enumerate(dict.fromkeys(lists))}
    vectors = encoder.encode_contexts([[corpus.texts[row] for row in rows] for rows in place])
    made: np.ndarray = vectors.astype(np.float64)[[place[rows] for rows in lists]]
    made[contexts.counts() == 0] = 0
    return made


def _unique(corpus: Corpus, encoder: Encoder, rows: np.ndarray) -> np.ndarray:
    used, places = np.unique(rows, return_inverse=True)
    vectors: np.ndarray = sentence_vectors(corpus, encoder, used)
    return vectors.astype(np.float64)[places]
