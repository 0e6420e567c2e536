"""Scratch space and calls for the n-gram and LCS kernels: from a corpus and a tokeniser to counts."""

from __future__ import annotations

import numpy as np

from dialometer.kernels.jit import run
from dialometer.kernels.lcs import BITS, common_subsequences
from dialometer.kernels.ngrams import clipped_matches, common_ngrams
from dialometer.text.corpus import Corpus


def longest(corpus: Corpus, tok: str) -> int:
    """Tokens of the longest response."""
    return int(corpus.table(tok).lengths()[corpus.response].max(initial=0))


def tree_space(grams: int, words: int) -> list[np.ndarray]:
    """Scratch for a tree of so many n-grams: marks by word; keys, stamps, nodes by slot; counts, places by node."""
    room = max(16, 1 << (4 * grams - 1).bit_length()) if grams else 16
    slots: list[np.ndarray] = [np.empty(room, np.int64), np.zeros(room, np.int32), np.empty(room, np.int32)]
    return [np.zeros(words, np.int32), *slots, np.zeros(grams + 1, np.int32), np.zeros(grams + 1, np.int32)]


def bleu_rows(corpus: Corpus, tok: str, order: int) -> np.ndarray:
    """(n, 3 + 2·order): scored, length, closest reference length, clipped matches, n-grams of the response."""
    table = corpus.table(tok)
    grams = longest(corpus, tok) * order
    rows = np.zeros((len(corpus), 3 + 2 * order))
    space = [*tree_space(grams, len(table.words)), np.zeros(grams + 1, np.int32), np.zeros(grams + 1, np.int32)]
    refs = corpus.references
    run(
        clipped_matches, table.ids, table.starts, corpus.response, refs.starts, refs.rows, order, rows.reshape(-1), *space,
        steps=_tokens(corpus, tok) * 4 * order,
    )  # fmt: skip
    return rows


def shared_ngrams(corpus: Corpus, tok: str, order: int) -> np.ndarray:
    """(pairs, order): n-grams that a response and one of its references have in common."""
    table = corpus.table(tok)
    grams = longest(corpus, tok) * order
    refs = corpus.references
    common = np.zeros((len(refs.rows), order), np.int32)
    run(
        common_ngrams, table.ids, table.starts, corpus.response, refs.starts, refs.rows, order, common.reshape(-1),
        *tree_space(grams, len(table.words)), np.zeros(grams + 1, np.int32), steps=_tokens(corpus, tok) * 4 * order,
    )  # fmt: skip
    return common


def shared_subsequences(corpus: Corpus, tok: str) -> np.ndarray:
    """(pairs,): length of the longest common subsequence of a response and one of its references."""
    table = corpus.table(tok)
    size = longest(corpus, tok)
    blocks = (size + BITS - 1) // BITS
    refs = corpus.references
    lengths = np.zeros(len(refs.rows), np.int32)
    run(
        common_subsequences, table.ids, table.starts, corpus.response, refs.starts, refs.rows, lengths,
        np.zeros(len(table.words), np.int32), np.zeros(size * blocks + 1, np.int64), np.zeros(blocks + 1, np.int64),
        steps=_tokens(corpus, tok) * 8 * max(1, blocks),
    )  # fmt: skip
    return lengths


def _tokens(corpus: Corpus, tok: str) -> int:
    """Tokens of responses and references, repeated texts counted each time."""
    lengths = corpus.table(tok).lengths()
    return int(lengths[corpus.response].sum() + lengths[corpus.references.rows].sum())
