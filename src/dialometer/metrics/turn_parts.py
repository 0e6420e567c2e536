"""What a reply does in its conversation, part by part: texts by their rows in, a number per reply out; NaN is absent."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np

from dialometer.metrics.embedding_trio import similarities
from dialometer.protocols import Emotion, Encoder, WordVectors
from dialometer.text.bigrams import bigrams
from dialometer.text.corpus import Corpus, Rows
from dialometer.text.emojis import sentiment
from dialometer.text.emotion_vectors import emotion_vectors
from dialometer.text.pooling import pair_cosines
from dialometer.text.sentence_vectors import sentence_vectors
from dialometer.text.table import TokenTable, row_sums
from dialometer.text.word_vectors import word_columns, word_table

ROOM = 1 << 20  # pairs of words of contexts that are looked at together


@dataclass(frozen=True, eq=False)
class Exchanges:
    """``items`` are the examples with a context; of each the text it answers, its own, and the next one, −1 where none is known."""

    items: np.ndarray
    query: np.ndarray
    reply: np.ndarray
    following: np.ndarray

    @classmethod
    def of(cls, corpus: Corpus) -> Exchanges:
        """Those of a corpus."""
        contexts, after = corpus.contexts, corpus.after
        items = np.flatnonzero(contexts.counts() > 0)
        following = np.full(len(items), -1, np.int64)
        has = after.counts()[items] > 0
        following[has] = after.rows[after.starts[items[has]]]
        query = contexts.rows[contexts.starts[items + 1] - 1].astype(np.int64)
        return cls(items, query, corpus.response[items].astype(np.int64), following)


def sentiments(corpus: Corpus, emotion: Emotion, rows: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Σ weight · p of these texts, and their distributions; NaN for a text of which nothing is known."""
    felt, known = emotion_vectors(corpus, emotion, rows)
    return np.where(known, sentiment(felt), np.nan), felt


def feelings(corpus: Corpus, emotion: Emotion, turns: Exchanges) -> np.ndarray:
    """(exchanges, 4): sentiment of query and reply, the cosine of their emotions, sentiment of the next less that of the query."""
    follows = turns.following >= 0
    used, places = np.unique(np.concatenate([turns.query, turns.reply, turns.following[follows]]), return_inverse=True)
    feels, felt = sentiments(corpus, emotion, used)
    query, reply, following = np.split(places.reshape(-1), [len(turns.query), 2 * len(turns.query)])
    both = ~np.isnan(feels[query] + feels[reply])
    values = np.full((len(query), 4), np.nan)
    values[:, 0], values[:, 1] = feels[query], feels[reply]
    values[both, 2] = pair_cosines(felt, query[both], reply[both])
    values[follows, 3] = feels[following] - feels[query[follows]]
    return values


def similarity(corpus: Corpus, encoder: Encoder, turns: Exchanges) -> np.ndarray:
    """The cosine of the sentence vectors of query and reply; NaN where the encoder knows nothing of one."""
    used, places = np.unique(np.concatenate([turns.query, turns.reply]), return_inverse=True)
    vectors = sentence_vectors(corpus, encoder, used)
    query, reply = np.split(places.reshape(-1), 2)
    known = np.asarray(vectors.any(axis=1))
    return np.where(known[query] & known[reply], pair_cosines(vectors, query, reply), np.nan)


def word_coherence(corpus: Corpus, tok: str, source: WordVectors, turns: Exchanges) -> np.ndarray:
    """(exchanges, 3): Embedding Average, Vector Extrema, Greedy Matching of reply and query; NaN where one has no known word."""
    values = np.full((len(turns.items), 3), np.nan)
    table = corpus.table(tok)
    known = row_sums(word_columns(table, source)[1][table.ids], table.starts) > 0
    both = np.flatnonzero(known[turns.query] & known[turns.reply])
    if len(both):
        queries = Rows(np.arange(len(both) + 1), turns.query[both].astype(np.int32))
        pairs = replace(corpus.take(turns.items[both]), references=queries)  # the query stands where a reference would
        values[both] = similarities(
            pairs, np.arange(len(both)), word_table(table, source), np.ones(len(table.words)), "max", zero_minimum=False
        )
    return values


def repetition(corpus: Corpus, table: TokenTable, turns: Exchanges) -> np.ndarray:
    """(exchanges, 2): shares of the reply's pairs of words that it said before, and that its context holds; NaN without a pair."""
    pairs = bigrams(table)
    kinds = int(pairs.rows.max(initial=0)) + 1
    sizes = pairs.counts()
    texts = np.repeat(np.arange(len(sizes)), sizes)
    different = np.bincount(np.unique(texts * kinds + pairs.rows) // kinds, minlength=len(sizes))
    values = np.full((len(turns.items), 2), np.nan)
    says = sizes[turns.reply] > 0
    values[says, 0] = 1 - (different / np.maximum(sizes, 1))[turns.reply[says]]
    heard = row_sums(sizes[corpus.contexts.rows], corpus.contexts.starts)[turns.items]
    for some in _pieces(heard + sizes[turns.reply]):
        contexts = corpus.contexts.take(turns.items[some])
        before = pairs.take(contexts.rows)
        owner = np.repeat(np.repeat(np.arange(len(some)), contexts.counts()), before.counts())
        own = pairs.take(turns.reply[some])
        mine = np.repeat(np.arange(len(some)), own.counts())
        known = np.isin(mine * kinds + own.rows, owner * kinds + before.rows)
        hits = np.bincount(mine[known], minlength=len(some))
        values[some, 1] = np.where(own.counts() > 0, hits / np.maximum(own.counts(), 1), np.nan)
    return values


def _pieces(costs: np.ndarray) -> Iterator[np.ndarray]:
    """Numbers in turn, cut where their costs fill the room; one that is dearer stands alone."""
    ends = np.flatnonzero(np.diff(np.cumsum(costs) // ROOM)) + 1
    return (part for part in np.split(np.arange(len(costs)), ends) if len(part))
