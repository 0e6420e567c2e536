"""Features of whole dialogues: a number for each in order of appearance; NaN is absent."""

from __future__ import annotations

import numpy as np

from dialometer.core.protocols import Encoder
from dialometer.metrics._conversation.bigrams import bigrams
from dialometer.text.corpus import Corpus, Rows
from dialometer.text.dialogues import Conversations, long_talks
from dialometer.text.table import TokenTable, row_sums
from dialometer.text.vectors.pooling import centroid_cosines, row_cosines
from dialometer.text.vectors.sentences import sentence_vectors

ROOM = 1 << 14  # turns of contexts whose vectors are held at once


def user_turns(corpus: Corpus, found: Conversations) -> Rows:
    """The texts of the user's part, dialogue by dialogue.

    In a chat they are the turns that are no replies, those after the last reply too; in self-play, every turn that was answered. A
    first turn that is not answered at once may be a greeting of the system's own, and is left out. Several responses to one context
    are no dialogue, and give none.
    """
    heard, last = corpus.contexts.counts(), found.last
    parts = corpus.contexts.take(last), Rows(np.arange(len(last) + 1), corpus.response[last]), corpus.after.take(last)
    starts = np.concatenate([[0], np.cumsum(sum(part.counts() for part in parts))])
    line, at = np.zeros(int(starts[-1]), np.int64), starts[:-1].copy()
    for part in parts:
        line[np.repeat(at - part.starts[:-1], part.counts()) + np.arange(len(part.rows))] = part.rows
        at += part.counts()
    owner = np.repeat(np.arange(len(found)), np.diff(starts))
    replies = (starts[:-1][found.code] + heard)[found.ordered[found.code]]
    own, answered = np.zeros(len(line), bool), np.zeros(len(line), bool)
    own[replies], answered[replies - 1] = True, True
    opening = np.zeros(len(line), bool)
    opening[starts[:-1]] = True
    chosen = np.where(found.alone[owner], answered, ~own & ~(opening & ~answered)) & found.ordered[owner]
    return Rows(np.concatenate([[0], np.cumsum(np.bincount(owner[chosen], minlength=len(found)))]), line[chosen])


def slopes(turns: Rows, feels: np.ndarray) -> np.ndarray:
    """(highest − lowest) / (turn of the highest − turn of the lowest), the first of each; 0 where all are equal.

    ``feels`` is the sentiment of each of the turns; those without one are passed over, but count as turns. One turn has no slope.

    >>> slopes(Rows.of([[0, 1, 2], [3], [4, 5]]), np.array([0.5, np.nan, -0.5, 0.25, 0.5, 0.5])).tolist()
    [-0.5, nan, 0.0]
    """
    owner = np.repeat(np.arange(len(turns.counts())), turns.counts())
    place = np.arange(len(owner)) - turns.starts[owner]
    known = np.flatnonzero(~np.isnan(feels))
    made = np.full(len(turns.counts()), np.nan)
    if len(known):
        first, last = (
            known[np.lexsort((place[known], sign * feels[known], owner[known]))][
                np.unique(owner[known], return_index=True)[1]
            ]
            for sign in (1, -1)
        )
        rise, run = feels[last] - feels[first], place[last] - place[first]
        made[owner[first]] = np.divide(rise, run, out=np.zeros(len(rise)), where=run != 0)
    made[np.bincount(owner[known], minlength=len(made)) < 2] = np.nan
    return made


def own_distinct(corpus: Corpus, table: TokenTable, found: Conversations) -> np.ndarray:
    """(dialogues, 2): kinds of words / words, and of pairs of words, over the system's replies; NaN where it has none."""
    words = Rows(np.asarray(table.starts), np.asarray(table.ids))
    return np.stack([_distinct(grams, corpus.response, found) for grams in (words, bigrams(table))], axis=1)


def _distinct(grams: Rows, response: np.ndarray, found: Conversations) -> np.ndarray:
    said = grams.take(response)
    owner = np.repeat(found.code, said.counts())
    kinds = int(said.rows.max(initial=0)) + 1
    totals = np.bincount(owner, minlength=len(found))
    different = np.bincount(np.unique(owner * kinds + said.rows) // kinds, minlength=len(found))
    return np.divide(different, totals, out=np.full(len(found), np.nan), where=totals > 0)


def topics(corpus: Corpus, encoder: Encoder) -> np.ndarray:
    """Of each reply the cosine of its vector with the mean vector of the turns before it; NaN where one says nothing."""
    place = np.zeros(len(corpus.texts), np.int64)
    place[corpus.response], place[corpus.contexts.rows] = 1, 1
    used = np.flatnonzero(place)
    place[used] = np.arange(len(used))
    vectors = sentence_vectors(corpus, encoder, used)
    made, apart = np.full(len(corpus), np.nan), np.ones(len(corpus), bool)
    for replies, line in long_talks(corpus):
        heard = corpus.contexts.counts()[replies]
        made[replies] = _topics_along(vectors, place[corpus.response[replies]], place[line], heard)
        apart[replies] = False
    rest = corpus.contexts.take(np.flatnonzero(apart))
    made[apart] = _topics_apart(vectors, place[corpus.response[apart]], Rows(rest.starts, place[rest.rows]))
    return made


def _topics_apart(vectors: np.ndarray, own: np.ndarray, contexts: Rows) -> np.ndarray:
    made, known = np.full(len(own), np.nan), np.asarray(vectors.any(axis=1))
    ends = np.flatnonzero(np.diff(contexts.starts[1:] // ROOM)) + 1
    for start, end in zip([0, *ends.tolist()], [*ends.tolist(), len(own)], strict=True):
        part = contexts.starts[start : end + 1]
        made[start:end] = centroid_cosines(vectors, own[start:end], contexts.rows[part[0] : part[-1]], part - part[0])
    made[~(known[own] & (row_sums(known[contexts.rows], contexts.starts) > 0))] = np.nan
    return made


def _topics_along(vectors: np.ndarray, own: np.ndarray, line: np.ndarray, heard: np.ndarray) -> np.ndarray:
    """The same for replies to the first so many turns of one dialogue."""
    known, before = np.asarray(vectors.any(axis=1)), np.maximum(heard - 1, 0)
    sums = np.cumsum(vectors[line], axis=0, dtype=np.float64)[before]
    told = known[own] & (np.cumsum(known[line])[before] > 0) & (heard > 0)
    return np.where(told, row_cosines(vectors[own], sums), np.nan)


def balance(corpus: Corpus, table: TokenTable, found: Conversations, users: Rows) -> np.ndarray:
    """1 − |2s − 1|, s the system's share of all words; in self-play that of every second reply. NaN where there are no words."""
    words = table.lengths()
    place = np.zeros(len(corpus), np.int64)
    place[found.rows] = np.arange(len(corpus)) - np.repeat(found.starts[:-1], found.counts())
    said = words[corpus.response] * np.where(found.alone[found.code], place % 2 == 0, True)
    own = np.bincount(found.code, said, len(found))
    whole = np.bincount(found.code, words[corpus.response], len(found))
    theirs = row_sums(words[users.rows], users.starts)
    every = np.where(found.alone, whole, own + theirs)
    share = np.divide(own, every, out=np.full(len(found), np.nan), where=(every > 0) & found.ordered)
    return 1 - np.abs(2 * share - 1)
