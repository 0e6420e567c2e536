"""The three cosines of responses and references: text vectors once per distinct text, pairs row by row."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from dialometer.kernels.embedding import cosines, greedy
from dialometer.kernels.jit import run
from dialometer.text.corpus import Corpus, Rows
from dialometer.text.vectors.pooling import pool
from dialometer.text.vectors.words import WordTable, mean_and_extrema

ROOM = 1 << 25  # bytes for the vectors of texts at a time


def similarities(
    corpus: Corpus, items: np.ndarray, words: WordTable, weights: np.ndarray, how: str, *, zero_minimum: bool
) -> np.ndarray:
    """(items, 3): average, extrema and greedy of each item, its references pooled; every item has a reference."""
    scores = np.zeros((len(items), 3))
    most = ROOM // (8 * words.vectors.shape[1])
    at = 0
    for some in pieces(corpus, items, most):
        values = pair_parts(corpus, some, words, weights, how, zero_minimum=zero_minimum)
        if how != "centroid":
            values = pool(values, _starts(corpus.references.counts()[some]), how)
        scores[at : at + len(some)] = values
        at += len(some)
    return scores


def pieces(corpus: Corpus, items: np.ndarray, most: int) -> Iterator[np.ndarray]:
    """Items in turn, cut in halves until a piece has at most so many distinct texts."""
    if len(items) > 1 and len(_texts(corpus, items)) > most:
        middle = len(items) // 2
        yield from pieces(corpus, items[:middle], most)
        yield from pieces(corpus, items[middle:], most)
    elif len(items):
        yield items


def pair_parts(
    corpus: Corpus, items: np.ndarray, words: WordTable, weights: np.ndarray, how: str, *, zero_minimum: bool
) -> np.ndarray:
    """(pairs, 3): the cosines of each (item, reference), or of each item with its references as one."""
    refs = corpus.references
    counts = refs.counts()[items]
    mine, theirs = corpus.response[items], refs.rows[refs.flat(items)]
    texts = _texts(corpus, items)
    left, right = (np.searchsorted(texts, rows) for rows in (mine, theirs))
    means = mean_and_extrema(words, texts, weights, zero_minimum=zero_minimum)
    other = words.ids, words.starts
    if how == "centroid":
        heads = _starts(counts)[:-1]
        sums = [np.add.reduceat(vectors[right].astype(np.float64), heads) for vectors in means]
        means_there = [(total / counts[:, None]).astype(np.float32) for total in sums]
        other, theirs, right = _bags(words, theirs, counts), np.arange(len(items)), np.arange(len(items))
    else:
        left, mine = np.repeat(left, counts), np.repeat(mine, counts)
    values = np.zeros((len(left), 3))
    for column in (0, 1):
        there = means_there[column] if how == "centroid" else means[column]
        out = np.zeros(len(left))
        run(cosines, means[column], left, there, right, out, steps=len(left) * words.vectors.shape[1] * 3)
        values[:, column] = out
    values[:, 2] = _greedy(words, weights, mine, *other, theirs)
    return np.clip(values, -1.0, 1.0)


def _greedy(
    words: WordTable,
    weights: np.ndarray,
    mine: np.ndarray,
    other_ids: np.ndarray,
    other_starts: np.ndarray,
    theirs: np.ndarray,
) -> np.ndarray:
    lengths, others = np.diff(words.starts), np.diff(other_starts)
    out = np.zeros(len(mine))
    steps = int((lengths[mine] * others[theirs]).sum()) * words.vectors.shape[1] * 2
    run(
        greedy, words.ids, words.starts, mine.astype(np.int32), other_ids, other_starts, theirs.astype(np.int32),
        words.units, words.scale, weights, out, np.zeros(int(others.max(initial=0))), steps=steps,
    )  # fmt: skip
    return out


def _bags(words: WordTable, rows: np.ndarray, counts: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The words of each item's references end to end."""
    texts = Rows(words.starts, words.ids)
    sizes = texts.counts()[rows]
    return texts.rows[texts.flat(rows)], np.concatenate([[0], np.cumsum(sizes)])[_starts(counts)]


def _texts(corpus: Corpus, items: np.ndarray) -> np.ndarray:
    """The distinct texts of these items."""
    refs = corpus.references
    return np.unique(np.concatenate([corpus.response[items], refs.rows[refs.flat(items)]]))


def _starts(counts: np.ndarray) -> np.ndarray:
    return np.concatenate([[0], np.cumsum(counts)])
