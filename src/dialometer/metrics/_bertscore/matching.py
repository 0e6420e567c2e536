"""Best cosines between the tokens of responses and references, in batches of texts so that memory is bounded."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from dialometer.core.protocols import Facts
from dialometer.text.corpus import Corpus

BYTES = 1 << 17  # of text whose token vectors are held at once: about 30,000 tokens
BLOCK = 8192  # texts that are counted at a time


def match_pairs(corpus: Corpus, encoder: Any, items: np.ndarray, facts: Facts) -> np.ndarray:
    """(pairs, 3) precision, recall and F1 of each item with each of its references, in their order."""
    refs = corpus.references
    counts = refs.counts()[items]
    own, theirs = np.repeat(corpus.response[items], counts), refs.rows[refs.flat(items)]
    found = np.zeros((len(own), 3))
    starts = np.concatenate([[0], np.cumsum(counts)])
    for pairs in chunks(np.diff(corpus.texts.starts), own, theirs, starts):
        texts, places = np.unique(np.concatenate([own[pairs], theirs[pairs]]), return_inverse=True)
        vectors, ids, at = encoder.tokens([corpus.texts[row] for row in texts.tolist()])
        units = _units(vectors)
        weights = token_weights(ids, facts)
        spans = [slice(a, b) for a, b in zip(at[:-1].tolist(), at[1:].tolist(), strict=True)]
        for pair, a, b in zip(pairs.tolist(), places[: len(pairs)].tolist(), places[len(pairs) :].tolist(), strict=True):
            found[pair] = greedy(units[spans[a]], units[spans[b]], weights[spans[a]], weights[spans[b]])
    return found


def greedy(a: np.ndarray, b: np.ndarray, weights_a: np.ndarray, weights_b: np.ndarray) -> tuple[float, float, float]:
    """Precision, recall and F1 of unit vectors a (response) and b (reference); 0 where a side has no token or no weight.

    >>> plain = np.ones(2)
    >>> greedy(np.array([[1.0, 0.0], [0.0, 1.0]]), np.array([[1.0, 0.0]]), plain, plain[:1])
    (0.5, 1.0, 0.6666666666666666)
    """
    total_a, total_b = weights_a.sum(), weights_b.sum()
    if not (total_a > 0 and total_b > 0):
        return 0.0, 0.0, 0.0
    # einsum, not a matrix product: BLAS gives other last bits with other numbers of threads
    cosines = np.einsum("ik,jk->ij", a, b)
    precision = float((cosines.max(1) * weights_a).sum() / total_a)
    recall = float((cosines.max(0) * weights_b).sum() / total_b)
    both = precision > 0 and recall > 0
    return precision, recall, 2 * precision * recall / (precision + recall) if both else 0.0


def chunks(sizes: np.ndarray, own: np.ndarray, theirs: np.ndarray, starts: np.ndarray) -> Iterator[np.ndarray]:
    """Pairs in pieces of at most ``BYTES`` of distinct text (or one item); items that share references come together."""
    filled = np.flatnonzero(np.diff(starts))
    order = filled[np.argsort(np.minimum.reduceat(theirs, starts[:-1][filled]), kind="stable")]
    seen: set[int] = set()
    pairs: list[int] = []
    held = 0
    for item in order.tolist():
        span = range(int(starts[item]), int(starts[item + 1]))
        texts = {int(own[span[0]]), *theirs[span.start : span.stop].tolist()} - seen
        more = sum(int(sizes[text]) for text in texts)
        if held and held + more > BYTES:
            yield np.array(pairs)
            seen, held, pairs = set(), 0, []
            texts = {int(own[span[0]]), *theirs[span.start : span.stop].tolist()}
            more = sum(int(sizes[text]) for text in texts)
        seen |= texts
        held += more
        pairs.extend(span)
    if pairs:
        yield np.array(pairs)


def best_reference(found: np.ndarray, starts: np.ndarray) -> np.ndarray:
    """The row of each item's best reference by F1, then by precision, so that the order of references is of no matter.

    >>> best_reference(np.array([[0.9, 0.1, 0.18], [0.5, 0.5, 0.5]]), np.array([0, 2])).tolist()
    [[0.5, 0.5, 0.5]]
    """
    item = np.repeat(np.arange(len(starts) - 1), np.diff(starts))
    order = np.lexsort((found[:, 0], found[:, 2], item))
    return np.asarray(found[order[starts[1:] - 1]])


def count_tokens(encoder: Any, texts: Sequence[str], times: np.ndarray) -> Facts:
    """How many documents there are and how many hold each token, for texts that occur so many times."""
    counts = np.zeros(0, np.int64)
    for block in range(0, len(texts), BLOCK):
        ids, starts = encoder.token_ids(texts[block : block + BLOCK])
        document = np.repeat(np.arange(len(starts) - 1), np.diff(starts))
        distinct = np.unique(np.stack([document, ids], axis=1), axis=0)
        more = np.bincount(distinct[:, 1], times[block + distinct[:, 0]], minlength=len(counts)).astype(np.int64)
        more[: len(counts)] += counts
        counts = more
    return {"documents": np.array([int(times.sum())]), "counts": counts}


def token_weights(ids: np.ndarray, facts: Facts) -> np.ndarray:
    """ln((N + 1) / (n + 1)) per token; 1 where nothing was counted."""
    documents, counts = int(facts["documents"][0]), facts["counts"]
    if not documents:
        return np.ones(len(ids))
    inside = ids < len(counts)
    found = np.zeros(len(ids), np.int64)
    found[inside] = counts[ids[inside]]
    return np.asarray(np.log((documents + 1) / (found + 1)))


def _units(vectors: np.ndarray) -> np.ndarray:
    """In 64 bits, so that a token matches itself with 1 and not with 0.9999999."""
    units = vectors.astype(np.float64)
    norms = np.sqrt((units * units).sum(1, keepdims=True))
    return np.divide(units, norms, out=units, where=norms > 0)
