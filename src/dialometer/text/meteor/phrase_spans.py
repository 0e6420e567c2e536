"""The part of the paraphrase table that a token table can use: its phrases where they stand, and the entries among them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from dialometer.text.meteor.paraphrases import Paraphrases


@dataclass(frozen=True, eq=False)
class Spans:
    """Token p starts the spans ``starts[p]`` … ``starts[p+1]``, shortest first: phrases of so many tokens (``length``).

    Phrase a may stand for phrase ``other[e]`` with e from ``entry_starts[a]`` to ``entry_starts[a+1]``. ``order[e]`` is the
    entry's place in the file, doubled, and 1 more when the entry is the other phrase's.
    """

    starts: np.ndarray
    token: np.ndarray
    length: np.ndarray
    phrase: np.ndarray
    entry_starts: np.ndarray
    other: np.ndarray
    order: np.ndarray

    @classmethod
    def none(cls, tokens: int) -> Spans:
        """No phrase anywhere: the paraphrase stage is off."""
        nothing = np.zeros(0, np.int32)
        return cls(np.zeros(tokens + 1, np.int64), nothing, nothing, nothing, np.zeros(1, np.int64), nothing, nothing)

    def most_matches(self, starts: np.ndarray) -> int:
        """No reference position can have more paraphrase matches than this; ``starts`` are those of the texts."""
        if len(self.other) == 0:
            return 0
        source = np.repeat(np.arange(len(self.entry_starts) - 1), np.diff(self.entry_starts))
        pairs = np.sort(source * (len(self.entry_starts) - 1) + self.other)
        repeats = np.diff(np.flatnonzero(np.diff(pairs, prepend=-1, append=-1))).max()
        return int(np.diff(self.starts).max() * np.diff(self.starts[starts]).max() * repeats)


def find_spans(table: Paraphrases, numbers: np.ndarray, ids: np.ndarray, starts: np.ndarray) -> Spans:
    """All phrases of the texts that have an entry with another phrase of the texts; ``numbers`` maps a word id to the table's."""
    place, length, node = _walk(table, numbers, ids, starts)
    present = np.zeros(len(table.keys) + 1, bool)
    present[node] = True
    nodes = np.flatnonzero(present)
    local = np.zeros(len(table.keys) + 1, np.int32)
    local[nodes] = np.arange(len(nodes))
    source, other, order = _entries(table, nodes, present, local)
    linked = np.zeros(len(nodes), bool)
    linked[source] = True
    linked[other] = True
    name = np.cumsum(linked) - 1
    phrase = local[node]
    kept = linked[phrase]
    place, length, phrase = place[kept], length[kept], name[phrase[kept]]
    both = np.concatenate([name[source], name[other]])
    by_phrase = np.argsort(both, kind="stable")
    return Spans(
        np.concatenate([[0], np.cumsum(np.bincount(place, minlength=len(ids)))]).astype(np.int64),
        place.astype(np.int32),
        length.astype(np.int32),
        phrase.astype(np.int32),
        np.concatenate([[0], np.cumsum(np.bincount(both, minlength=int(linked.sum())))]).astype(np.int64),
        np.concatenate([name[other], name[source]])[by_phrase].astype(np.int32),
        np.concatenate([2 * order, 2 * order + 1])[by_phrase].astype(np.int32),
    )


def _walk(
    table: Paraphrases, numbers: np.ndarray, ids: np.ndarray, starts: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Every (token, length, node) where the table's trie can be followed, by token and then by length."""
    stop = np.repeat(starts[1:], np.diff(starts))
    words = numbers[ids]
    node = table.step(np.zeros(len(numbers), np.int64), numbers)[ids]  # one word: the same wherever it stands
    at = np.flatnonzero(node)
    node = node[at]
    places, lengths, nodes = [at], [np.ones(len(at), np.int64)], [node]
    depth = 1
    while len(at):
        further = at + depth < stop[at]
        at, node = at[further], node[further]
        node = table.step(node, words[at + depth])
        found = node > 0
        at, node = at[found], node[found]
        depth += 1
        places.append(at)
        lengths.append(np.full(len(at), depth))
        nodes.append(node)
    place, length, node = np.concatenate(places), np.concatenate(lengths), np.concatenate(nodes)
    by_place = np.argsort(place, kind="stable")  # levels come shortest first, so lengths stay ascending
    return place[by_place], length[by_place], node[by_place]


def _entries(
    table: Paraphrases, nodes: np.ndarray, present: np.ndarray, local: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The entries whose two phrases are both among ``nodes``: (source, other) as places in ``nodes``, and the order."""
    first, last = table.entry_starts[nodes], table.entry_starts[nodes + 1]
    counts = last - first
    rows = np.arange(int(counts.sum())) + np.repeat(first - np.cumsum(counts) + counts, counts)
    other = table.entry_other[rows]
    kept = present[other]
    return np.repeat(np.arange(len(nodes)), counts)[kept], local[other[kept]], table.entry_order[rows[kept]]
