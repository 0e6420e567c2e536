"""Whole dialogues in a corpus of replies: which replies belong together, in which order, and where a score of all stands.

A dialogue is what shares document, system and, where ids say so (``<dialogue>#<turn>``), the dialogue: dialogues that
began with one opener share a document, and are several all the same. Its replies are in the order of their contexts' lengths.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from dialometer.core.errors import SpecError
from dialometer.core.types import Example
from dialometer.text.corpus import Corpus
from dialometer.text.texts import Texts

Key = tuple[str, str, str]
OFTEN = 32  # times that contexts hold a turn on average, from where on they are read as one line


def conversation_of(example: Example) -> Key:
    """What the replies of a dialogue have in common.

    >>> conversation_of(Example("d7#3", (), "no", (), "eliza", "opener 1"))
    ('opener 1', 'eliza', 'd7')
    """
    return _key(example.id, example.document, example.system)


def conversation_keys(corpus: Corpus) -> Iterator[Key]:
    """The same of each example of a corpus."""
    return map(_key, corpus.ids, corpus.documents, corpus.systems)


def _key(name: str, document: str, system: str) -> Key:
    return document, system, name.rpartition("#")[0]


@dataclass(frozen=True, eq=False)
class Conversations:
    """Dialogues in order of appearance: ``code`` is the number of each example's; the replies of dialogue c are the
    examples ``rows[starts[c]:starts[c+1]]``, first to last.

    ``ordered`` says whether every reply has a longer context than the one before: others are several responses to one context.
    ``alone`` marks self-play: several replies, each to the one before as if it were another speaker's, so that the system plays
    both parts. Two turns in a row of one speaker are no self-play.
    """

    code: np.ndarray
    rows: np.ndarray
    starts: np.ndarray
    ordered: np.ndarray
    alone: np.ndarray

    def __len__(self) -> int:
        return len(self.starts) - 1

    def counts(self) -> np.ndarray:
        """How many replies each has."""
        return np.diff(self.starts)

    @property
    def last(self) -> np.ndarray:
        """The example of each dialogue's last reply."""
        return np.asarray(self.rows[self.starts[1:] - 1])


def conversations(corpus: Corpus) -> Conversations:
    """The dialogues that the examples of a corpus are replies of.

    >>> from dialometer.core.types import Dialogue, Turn
    >>> talk = Dialogue("d", "bot", tuple(Turn("ub"[i % 2], str(i)) for i in range(5)), extra={"rated_speaker": "b"})
    >>> conversations(Corpus.build(reversed(list(talk.examples())))).rows.tolist()
    [1, 0]
    """
    index: dict[Key, int] = {}
    keys = conversation_keys(corpus)
    code = np.fromiter((index.setdefault(key, len(index)) for key in keys), np.int64, len(corpus))
    heard = corpus.contexts.counts()
    rows = np.lexsort((np.arange(len(corpus)), heard, code))
    starts = np.concatenate([[0], np.cumsum(np.bincount(code, minlength=len(index)))]).astype(np.int64)
    inner = np.diff(code[rows]) == 0
    gaps, back = np.diff(heard[rows]), corpus.nearest()[rows[1:], 0]
    several = np.diff(starts) > 1
    ordered, alone = np.ones(len(index), bool), several.copy()
    ordered[code[rows][1:][inner & (gaps < 1)]] = False
    alone[code[rows][1:][inner & ((gaps != 1) | (back != 1))]] = False
    return Conversations(code, rows, starts, ordered, alone)


def conversation_means(values: np.ndarray, owner: np.ndarray) -> np.ndarray:
    """The mean over the replies of each dialogue that have a value; NaN where none has. One column or many.

    >>> conversation_means(np.array([[1.0], [np.nan], [3.0]]), np.array([0, 1, 0])).tolist()
    [[2.0], [nan]]
    """
    size = int(owner.max()) + 1 if len(owner) else 0
    columns = values if values.ndim > 1 else values[:, None]
    made = np.full((size, columns.shape[1]), np.nan)
    for place, column in enumerate(columns.T):
        known = ~np.isnan(column)
        counts = np.bincount(owner[known], minlength=size)
        np.divide(np.bincount(owner[known], column[known], size), counts, out=made[:, place], where=counts > 0)
    return made if values.ndim > 1 else made[:, 0]


def conversation_systems(corpus: Corpus) -> list[str]:
    """The system of each dialogue, in order of appearance."""
    names = list(corpus.systems)
    return [names[row] for row in conversations(corpus).last.tolist()]


def long_talks(corpus: Corpus) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """Dialogues whose contexts extend each other: their replies, first to last, and the longest context.

    Only those whose contexts repeat a turn so often that it pays to go along the line instead.
    """
    found, contexts = conversations(corpus), corpus.contexts
    heard = contexts.counts()
    for own in np.flatnonzero(np.bincount(found.code, heard, len(found)) > OFTEN * heard[found.last]).tolist():
        replies = found.rows[found.starts[own] : found.starts[own + 1]]
        first, last = contexts.starts[replies], contexts.starts[replies + 1]
        line = contexts.rows[first[-1] : last[-1]]
        spans = zip(first.tolist(), last.tolist(), strict=True)
        if all(np.array_equal(contexts.rows[a:b], line[: b - a]) for a, b in spans):
            yield replies, np.asarray(line)


def measure_replies(metric: Any, corpus: Corpus) -> np.ndarray:
    """A row per example: what the metric measures of it; of a metric of dialogues, zeros but at the last replies.

    A metric of dialogues has a row per document, and sees a corpus whose documents are the dialogues.
    """
    if metric.unit != "dialogue":
        return np.asarray(metric.measure(corpus))
    found = conversations(corpus)
    measured = metric.measure(replace(corpus, groups=Texts.numbers(len(found)).take(found.code)))
    if len(measured) != len(found):
        raise SpecError(
            f"{metric.name} gave {len(measured)} rows for {len(found)} dialogues", "a metric with a row for each of them"
        )
    rows = np.zeros((len(corpus), measured.shape[1]))
    rows[found.last] = measured
    return rows
