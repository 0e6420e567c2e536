"""Features of a reply in its dialogue: rows of texts in, a number per reply out; NaN is absent."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np

from dialometer.core.protocols import Emotion, Encoder, WordVectors
from dialometer.metrics._conversation.bigrams import bigrams
from dialometer.metrics._embedding.cosines import similarities
from dialometer.text.corpus import Corpus, Rows
from dialometer.text.dialogues import long_talks
from dialometer.text.table import TokenTable, row_sums
from dialometer.text.vectors.emojis import sentiment
from dialometer.text.vectors.emotion import emotion_vectors
from dialometer.text.vectors.pooling import pair_cosines
from dialometer.text.vectors.sentences import sentence_vectors
from dialometer.text.vectors.words import word_columns, word_table

ROOM = 1 << 20  # pairs of words of contexts that are looked at together


@dataclass(frozen=True, eq=False)
class TurnExchanges:
    """``items`` are the examples with a context; of each the last turn of another speaker, its own text, and the next turn of
    another speaker: rows of texts, −1 where there is none.
    """

    items: np.ndarray
    query: np.ndarray
    reply: np.ndarray
    following: np.ndarray

    @classmethod
    def of(cls, corpus: Corpus) -> TurnExchanges:
        """Those of a corpus."""
        contexts, after = corpus.contexts, corpus.after
        items = np.flatnonzero(contexts.counts() > 0)
        query, following = np.full((2, len(items)), -1, np.int64)
        back, ahead = corpus.nearest()[items].T
        query[back > 0] = contexts.rows[(contexts.starts[items + 1] - back)[back > 0]]
        following[ahead > 0] = after.rows[(after.starts[items] + ahead - 1)[ahead > 0]]
        return cls(items, query, corpus.response[items].astype(np.int64), following)


def distinct_rows(rows: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The different rows, and for each its place among them; −1 stays −1, and so finds what is appended for the absent.

    >>> [found.tolist() for found in distinct_rows(np.array([7, -1, 3, 7]))]
    [[3, 7], [1, -1, 0, 1]]
    """
    used, places = np.unique(rows, return_inverse=True)
    absent = int((used[:1] < 0).sum())
    return used[absent:], places.reshape(-1) - absent


def sentiments(corpus: Corpus, emotion: Emotion, rows: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Σ weight · p of these texts, and their distributions; NaN for a text of which nothing is known."""
    felt, known = emotion_vectors(corpus, emotion, rows)
    return np.where(known, sentiment(felt), np.nan), felt


def feelings(corpus: Corpus, emotion: Emotion, turns: TurnExchanges) -> np.ndarray:
    """(exchanges, 4): sentiment of query and reply, the cosine of their emotions, sentiment of the next less that of the query."""
    used, places = distinct_rows(np.concatenate([turns.query, turns.reply, turns.following]))
    feels, felt = sentiments(corpus, emotion, used)
    feels = np.append(feels, np.nan)
    query, reply, following = np.split(places, 3)
    both = ~np.isnan(feels[query] + feels[reply])
    values = np.full((len(query), 4), np.nan)
    values[:, 0], values[:, 1], values[:, 3] = feels[query], feels[reply], feels[following] - feels[query]
    values[both, 2] = pair_cosines(felt, query[both], reply[both])
    return values


def similarity(corpus: Corpus, encoder: Encoder, turns: TurnExchanges) -> np.ndarray:
    """The cosine of the sentence vectors of query and reply; NaN where the encoder knows no word of one."""
    used, places = distinct_rows(np.concatenate([turns.query, turns.reply]))
    vectors = sentence_vectors(corpus, encoder, used)
    query, reply = np.split(places, 2)
    known = np.append(vectors.any(axis=1), False)
    values, both = np.full(len(query), np.nan), known[query] & known[reply]
    values[both] = pair_cosines(vectors, query[both], reply[both])
    return values


def word_coherence(corpus: Corpus, tok: str, source: WordVectors, turns: TurnExchanges) -> np.ndarray:
    """(exchanges, 3): Embedding Average, Vector Extrema, Greedy Matching of reply and query; NaN where one has no known word."""
    values = np.full((len(turns.items), 3), np.nan)
    table = corpus.table(tok)
    known = np.append(row_sums(word_columns(table, source)[1][table.ids], table.starts) > 0, False)
    both = np.flatnonzero(known[turns.query] & known[turns.reply])
    if len(both):
        queries = Rows(np.arange(len(both) + 1), turns.query[both].astype(np.int32))
        pairs = replace(corpus.take(turns.items[both]), references=queries)  # the query stands where a reference would
        values[both] = similarities(
            pairs, np.arange(len(both)), word_table(table, source), np.ones(len(table.words)), "max", zero_minimum=False
        )
    return values


def repetition(corpus: Corpus, table: TokenTable, turns: TurnExchanges) -> np.ndarray:
    """(exchanges, 2): shares of the reply's bigrams that occur before in the reply, and in its context; NaN without a pair."""
    pairs = bigrams(table)
    kinds = int(pairs.rows.max(initial=0)) + 1
    sizes = pairs.counts()
    texts = np.repeat(np.arange(len(sizes)), sizes)
    different = np.bincount(np.unique(texts * kinds + pairs.rows) // kinds, minlength=len(sizes))
    values = np.full((len(turns.items), 2), np.nan)
    says = sizes[turns.reply] > 0
    values[says, 0] = 1 - (different / np.maximum(sizes, 1))[turns.reply[says]]
    values[:, 1] = _heard_before(corpus, pairs, kinds)[turns.items]
    return values


def _heard_before(corpus: Corpus, pairs: Rows, kinds: int) -> np.ndarray:
    """Of each example the share of its pairs that its context holds; NaN without a pair."""
    own = pairs.take(corpus.response)
    hits, apart = np.zeros(len(corpus)), np.ones(len(corpus), bool)
    for replies, line in long_talks(corpus):
        hits[replies] = _hits_along(own.take(replies), pairs.take(line), corpus.contexts.counts()[replies])
        apart[replies] = False
    rest = np.flatnonzero(apart)
    sizes = pairs.counts()
    costs = row_sums(sizes[corpus.contexts.rows], corpus.contexts.starts) + sizes[corpus.response]
    for some in _pieces(costs[rest]):
        part = rest[some]
        hits[part] = _hits_apart(own.take(part), corpus.contexts.take(part), pairs, kinds)
    return np.divide(hits, own.counts(), out=np.full(len(corpus), np.nan), where=own.counts() > 0)


def _hits_apart(own: Rows, contexts: Rows, pairs: Rows, kinds: int) -> np.ndarray:
    """How many pairs of each reply its context holds."""
    number, before = np.arange(len(own.counts())), pairs.take(contexts.rows)
    owner = np.repeat(np.repeat(number, contexts.counts()), before.counts())
    mine = np.repeat(number, own.counts())
    known = np.isin(mine * kinds + own.rows, owner * kinds + before.rows)
    return np.bincount(mine[known], minlength=len(number))


def _hits_along(own: Rows, line: Rows, heard: np.ndarray) -> np.ndarray:
    """The same for replies to the first so many turns of one dialogue: each bigram by the turn that had it first."""
    known, first = np.unique(line.rows, return_index=True)
    turn = np.append(np.searchsorted(line.starts, first, side="right"), len(line.starts))  # counted from 1
    place = np.searchsorted(known, own.rows)
    said = np.append(known, -1)[place] == own.rows
    mine = np.repeat(np.arange(len(heard)), own.counts())
    return np.bincount(mine[said & (turn[place] <= heard[mine])], minlength=len(heard))


def _pieces(costs: np.ndarray) -> Iterator[np.ndarray]:
    """Numbers in turn, cut where their costs fill the room; one that is dearer stands alone."""
    ends = np.flatnonzero(np.diff(np.cumsum(costs) // ROOM)) + 1
    return (part for part in np.split(np.arange(len(costs)), ends) if len(part))
