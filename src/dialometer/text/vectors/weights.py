"""How much a word counts: not at all different, by inverse document frequency, or by smooth inverse frequency.

``idf = ln((1 + N) / (1 + documents with the word)) + 1``, so that one document is enough and no word weighs nothing.
``sif = a / (a + p)`` with ``p`` the word's share of the running words and ``a = 0.001`` (Arora et al. 2017).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache

import numpy as np

from dialometer.core.errors import SpecError
from dialometer.text.corpus import Rows
from dialometer.text.lines import file_digest, read_lines
from dialometer.text.table import TokenTable, build_table
from dialometer.text.texts import Texts
from dialometer.text.tokenisers.base import tokeniser

WEIGHTS = {
    "none": "every word counts the same",
    "idf": "inverse document frequency",
    "sif": "a / (a + share of running words)",
}
SIF = 1e-3
Counts = Mapping[str, np.ndarray]


def check_weights(thing: str, how: str) -> None:
    """Refuse an unknown way of weighting."""
    if how not in WEIGHTS:
        raise SpecError(f"{thing}(weights=…) is one of {', '.join(WEIGHTS)}, not {how!r}", f"{thing}(weights=idf)")


def count_words(table: TokenTable, documents: Rows, how: str) -> Counts:
    """Per word: documents that hold it (``idf``), or how often it occurs (``sif``), a text of a document counted once."""
    size = np.repeat(np.arange(len(documents.starts) - 1), documents.counts())
    pairs = (
        np.unique(size.astype(np.int64) * (len(table.starts) - 1) + documents.rows) if len(size) else np.zeros(0, np.int64)
    )
    owner, rows = np.divmod(pairs, max(len(table.starts) - 1, 1))
    lengths = table.lengths()[rows]
    ends = np.cumsum(lengths)
    words = np.asarray(table.ids)[np.repeat(table.starts[rows] - (ends - lengths), lengths) + np.arange(lengths.sum())]
    total = len(words)
    if how == "idf":
        words = np.unique(np.repeat(owner, lengths) * len(table.words) + words) % max(len(table.words), 1)
        total = len(documents.starts) - 1
    counts = np.bincount(words, minlength=len(table.words)).astype(np.int64)
    return {"counts": counts, "total": np.array([total]), "bytes": table.words.bytes, "starts": table.words.starts}


def merge_counts(parts: Sequence[Counts]) -> Counts:
    """The sum of counts over disjoint documents."""
    index: dict[str, int] = {}
    places = [
        np.fromiter((index.setdefault(word, len(index)) for word in Texts(part["bytes"], part["starts"])), np.int64)
        for part in parts
    ]
    counts = np.zeros(len(index), np.int64)
    for part, place in zip(parts, places, strict=True):
        counts[place] += part["counts"]
    words = Texts.of(index)
    total = np.array([sum(int(part["total"][0]) for part in parts)])
    return {"counts": counts, "total": total, "bytes": words.bytes, "starts": words.starts}


def word_weights(table: TokenTable, counts: Counts | None, how: str) -> np.ndarray:
    """The weight of each word of the table.

    >>> table = build_table(Texts.of(["tea tea time", "time"]), tokeniser("words"))
    >>> documents = Rows.of([[0], [1]])
    >>> word_weights(table, count_words(table, documents, "idf"), "idf").round(3).tolist()
    [1.405, 1.0]
    >>> word_weights(table, count_words(table, documents, "sif"), "sif").round(3).tolist()
    [0.002, 0.002]
    """
    if how == "none" or counts is None:
        return np.ones(len(table.words))
    index = dict(zip(Texts(counts["bytes"], counts["starts"]), counts["counts"].tolist(), strict=True))
    mine = np.fromiter((index.get(word, 0) for word in table.spellings()), np.float64, len(table.words))
    total = float(counts["total"][0])
    if how == "idf":
        return np.asarray(np.log((1 + total) / (1 + mine)) + 1)
    return np.asarray(SIF / (SIF + mine / max(total, 1.0)))


def file_counts(path: str, how: str, tok: str) -> Counts:
    """Counts of a text file, one document a line."""
    return _counts(path, file_digest(path), how, tok)


@cache
def _counts(path: str, digest: str, how: str, tok: str) -> Counts:
    texts, rows = Texts.distinct(read_lines(path))
    return count_words(build_table(texts, tokeniser(tok)), Rows.of([[row] for row in rows.tolist()]), how)
