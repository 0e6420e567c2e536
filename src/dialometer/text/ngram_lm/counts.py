"""How often each n-gram occurs, by sorting integer keys; and the vocabulary, in an order that texts cannot change."""

from __future__ import annotations

import re
from dataclasses import dataclass

import numpy as np

from dialometer.text.ngram_lm.backoff import MARKS, START, UNKNOWN, preceding, sentences
from dialometer.text.table import TokenTable
from dialometer.text.texts import Texts

# What an ARPA file cannot hold as an ordinary word: its marks (either spelling of unknown), and column separators.
_UNSPEAKABLE = re.compile(r"<s>|</s>|<unk>|<UNK>|.*[\0\t\n\v\f\r ].*", re.DOTALL)


@dataclass(frozen=True, eq=False)
class Counted:
    """The n-grams of one order, sorted by key as in ``backoff.Order``, with their counts."""

    keys: np.ndarray
    counts: np.ndarray


def vocabulary(table: TokenTable) -> tuple[Texts, np.ndarray]:
    """The marks and then all words in the order of their spelling; and the number of each word of the table among them."""
    spelt = table.spellings()
    known = sorted(word for word in spelt if not _UNSPEAKABLE.fullmatch(word))
    index = {word: number for number, word in enumerate(known, len(MARKS))}
    numbers = np.fromiter((index.get(word, UNKNOWN) for word in spelt), np.int64, len(spelt))
    return Texts.of([*MARKS, *known]), numbers


def count_ngrams(table: TokenTable, numbers: np.ndarray, words: int, order: int) -> list[Counted]:
    """Counts of orders 1 to ``order``; every text that has words is a sentence."""
    lengths = table.lengths()
    stream = sentences(numbers[table.ids], lengths[lengths > 0])
    levels = [Counted(np.arange(words), np.bincount(stream, minlength=words))]
    here = stream
    for _ in range(1, order):
        before = preceding(here, stream)
        places = np.flatnonzero(before >= 0)
        keys, inverse, counts = np.unique(before[places] * words + stream[places], return_inverse=True, return_counts=True)
        here = np.full(len(stream), -1)
        here[places] = inverse
        levels.append(Counted(keys, counts))
    levels[0].counts[START] = 0  # given, never predicted
    return levels
