"""Whole conversations in a corpus of replies: which replies belong together, in which order, and where a score of all stands.

A conversation is what shares document, system and, where ids say so (``<dialogue>#<turn>``), the dialogue: conversations that
began with one opener share a document, and are several all the same. Its replies are in the order of their contexts' lengths.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from dialometer.errors import SpecError
from dialometer.text.corpus import Corpus
from dialometer.text.texts import Texts
from dialometer.types import Example

Key = tuple[str, str, str]


def conversation_of(example: Example) -> Key:
    """What the replies of a conversation have in common.

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
    """Conversations in order of appearance: ``code`` is the number of each example's; the replies of conversation c are the
    examples ``rows[starts[c]:starts[c+1]]``, first to last.

    ``ordered`` says whether every reply has a longer context than the one before: others are several answers to one context.
    ``alone`` marks self-play: several replies, and each answers the one before, so that the system plays both parts.
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
        """The example of each conversation's last reply."""
        return np.asarray(self.rows[self.starts[1:] - 1])


def conversations(corpus: Corpus) -> Conversations:
    """The conversations that the examples of a corpus are replies of.

    >>> from dialometer.types import Dialogue, Turn
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
    gaps = np.diff(heard[rows])
    several = np.diff(starts) > 1
    ordered, alone = np.ones(len(index), bool), several.copy()
    ordered[code[rows][1:][inner & (gaps < 1)]] = False
    alone[code[rows][1:][inner & (gaps != 1)]] = False
    return Conversations(code, rows, starts, ordered, alone)


def last_replies(corpus: Corpus) -> np.ndarray:
    """The row of each conversation's last reply, conversations in order of appearance."""
    return conversations(corpus).last


def measure_replies(metric: Any, corpus: Corpus) -> np.ndarray:
    """A row per example: what the metric measures of it; of a metric of dialogues, zeros but at the last replies.

    A metric of dialogues has a row per document, and sees a corpus whose documents are the conversations.
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
