"""Back-off tables: the n-grams of a language model as a tree in sorted arrays, looked up for whole batches at once.

``p(w | h) = p of the n-gram h w`` where it is listed, else ``bow(h) · p(w | h without its first word)`` (Katz 1987, eq. 12).
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

import numpy as np

from dialometer.text.table import TokenTable
from dialometer.text.texts import Texts

UNKNOWN, START, END = 0, 1, 2
MARKS = ("<unk>", "<s>", "</s>")  # the words of these numbers
BLOCK = 1 << 19  # tokens scored at a time: bounds memory, changes no number


@dataclass(frozen=True, eq=False)
class Order:
    """The n-grams of one order, sorted by key: number of the (n−1)-gram before the last word × vocabulary + last word.

    ``logp`` and ``bow`` are natural logarithms. A word's number is its place in the first level.
    """

    keys: np.ndarray
    logp: np.ndarray
    bow: np.ndarray

    def find(self, before: np.ndarray, words: np.ndarray, vocabulary: int) -> np.ndarray:
        """The number of each (n−1)-gram followed by a word, −1 where it is not listed."""
        if not len(self.keys):
            return np.full(len(words), -1)
        keys = before * vocabulary + words  # negative, and so not found, where the (n−1)-gram is missing
        order = np.argsort(keys)  # searching in order stays in the processor's cache: twice as quick, sorting included
        keys = keys[order]
        places = np.minimum(np.searchsorted(self.keys, keys), len(self.keys) - 1)
        found = np.empty(len(keys), np.int64)
        found[order] = np.where(self.keys[places] == keys, places, -1)
        return found


@dataclass(frozen=True, eq=False)
class Backoff:
    """A vocabulary, whose first three words are ``<unk>``, ``<s>`` and ``</s>``, and a level per order."""

    words: Texts
    levels: tuple[Order, ...]

    @cached_property
    def index(self) -> dict[str, int]:
        """The number of each word a text can hold; the marks themselves are unknown words there."""
        numbers = {word: number for number, word in enumerate(self.words)}
        return numbers | dict.fromkeys(MARKS, UNKNOWN)

    def score(self, table: TokenTable) -> np.ndarray:
        """Σ ln p of each text and its end."""
        index = self.index
        numbers = np.fromiter((index.get(word, UNKNOWN) for word in table.spellings()), np.int64, len(table.words))
        lengths, starts = table.lengths(), table.starts
        sums, first = np.zeros(len(lengths)), 0
        while first < len(lengths):
            last = max(first + 1, int(np.searchsorted(starts, starts[first] + BLOCK, "right")) - 1)
            words = sentences(numbers[table.ids[starts[first] : starts[last]]], lengths[first:last])
            sums[first:last] = self._sums(words, lengths[first:last])
            first = last
        return sums

    def _sums(self, words: np.ndarray, lengths: np.ndarray) -> np.ndarray:
        logp = log_probabilities(self.levels, words)
        logp[words == START] = 0  # given, not predicted
        return np.bincount(np.repeat(np.arange(len(lengths)), lengths + 2), logp, len(lengths))


def sentences(words: np.ndarray, lengths: np.ndarray) -> np.ndarray:
    """All texts end to end, each between ``<s>`` and ``</s>``.

    >>> sentences(np.array([7, 8, 9]), np.array([2, 0, 1])).tolist()
    [1, 7, 8, 2, 1, 2, 1, 9, 2]
    """
    rows = np.arange(len(lengths))
    heads = np.cumsum(lengths) - lengths + 2 * rows
    stream = np.empty(len(words) + 2 * len(lengths), np.int64)
    stream[heads] = START
    stream[heads + lengths + 1] = END
    stream[np.arange(len(words)) + 2 * np.repeat(rows, lengths) + 1] = words
    return stream


def log_probabilities(levels: tuple[Order, ...], words: np.ndarray) -> np.ndarray:
    """ln p of every word of a stream of sentences, given what precedes it in its sentence."""
    vocabulary, here, logp = len(levels[0].keys), words, levels[0].logp[words]
    for lower, upper in pairwise(levels):
        before = preceding(here, words)
        here = upper.find(before, words, vocabulary)
        logp = back_off(lower, upper, logp, before, here)
    return logp


def preceding(grams: np.ndarray, words: np.ndarray) -> np.ndarray:
    """The n-gram that ends one word earlier, −1 at the start of a sentence."""
    before = np.concatenate([[-1], grams[:-1]])
    before[words == START] = -1
    return before


def back_off(lower: Order, upper: Order, logp: np.ndarray, before: np.ndarray, here: np.ndarray) -> np.ndarray:
    """One order up: the upper level's own value where it lists the n-gram, else bow × the value so far."""
    return np.where(here >= 0, _at(upper.logp, here), logp + _at(lower.bow, before))


def _at(values: np.ndarray, places: np.ndarray) -> np.ndarray:
    """Values at places, 0 at −1."""
    return np.where(places >= 0, values[places], 0.0) if len(values) else np.zeros(len(places))
