"""Tf-idf weighted n-gram similarity of responses and references: the inside of CIDEr."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from dialometer.kernels.cosine import products, squared_norms
from dialometer.kernels.jit import run
from dialometer.metrics._cider.document_frequency import Tree, frequencies
from dialometer.text.corpus import Corpus
from dialometer.text.ngram_matches import tree_space


class CiderParts(NamedTuple):
    """Of each (item, reference): the item's place among the items, the cosine of each order, the length factor."""

    owner: np.ndarray
    cosines: np.ndarray
    factors: np.ndarray


def similarities(corpus: Corpus, items: np.ndarray, tree: Tree, tok: str, order: int, **form: Any) -> np.ndarray:
    """For each item the similarity with its references, averaged over them and over orders 1 to ``order``."""
    parts = pair_parts(corpus, items, tree, tok, order, **form)
    sums = np.bincount(parts.owner, parts.cosines.mean(axis=1) * parts.factors, len(items))
    return sums / corpus.references.counts()[items]


def pair_parts(
    corpus: Corpus, items: np.ndarray, tree: Tree, tok: str, order: int, *, clip: bool, sigma: float, bigram_length: bool
) -> CiderParts:
    """Cosines and length factors of the items with each of their references."""
    table, refs = corpus.table(tok), corpus.references
    counts = refs.counts()[items]
    pairs = refs.flat(items)
    owner = np.repeat(np.arange(len(items)), counts)
    texts, where = np.unique(np.concatenate([corpus.response[items], refs.rows[pairs]]), return_inverse=True)
    mine, theirs = where[: len(items)], where[len(items) :]
    frequency, at = frequencies(tree, table, texts, order)
    weights = np.log(float(tree["documents"][0])) - np.log(np.maximum(frequency, 1))
    grams = int(table.lengths()[texts].max(initial=0)) * order
    norms = np.zeros((len(texts), order))
    rows = texts.astype(np.int32)
    steps = len(weights) * 6
    run(
        squared_norms,
        table.ids,
        table.starts,
        rows,
        order,
        weights,
        at,
        norms.reshape(-1),
        *tree_space(grams, len(table.words)),
        steps=steps,
    )
    dots = np.zeros((len(refs.rows), order))
    run(
        products, table.ids, table.starts, corpus.response, refs.starts, refs.rows, items.astype(np.int64), order,
        weights, at[mine], clip, dots.reshape(-1), *tree_space(grams, len(table.words)), np.zeros(grams + 1, np.int32), steps=steps,
    )  # fmt: skip
    under = np.sqrt(norms[mine[owner]]) * np.sqrt(norms[theirs])
    cosines = np.divide(dots[pairs], under, out=np.zeros_like(under), where=under > 0)
    factors = np.ones(len(pairs))
    if sigma:
        lengths = np.maximum(table.lengths() - (1 if bigram_length else 0), 0)
        delta = lengths[corpus.response[items]][owner] - lengths[refs.rows[pairs]]
        factors = np.exp(-(delta**2) / (2 * sigma**2))
    return CiderParts(owner, cosines, factors)
