"""Word vectors over a token table: which words have one, texts without the others, unit vectors as whole numbers."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from dialometer.core.capabilities import HasCentre
from dialometer.core.errors import NeedsError
from dialometer.core.protocols import WordVectors
from dialometer.kernels.embedding import text_vectors
from dialometer.kernels.jit import run
from dialometer.text.table import TokenTable

PART = 1024  # rows at a time: copies stay in the processor's cache
ONE = float(1 << 30)  # what 1 is in whole numbers (kernels/embedding.py)


@dataclass(frozen=True, eq=False)
class WordTable:
    """Texts as the words that count: text i is ``ids[starts[i]:starts[i+1]]``; the other arrays hold a fact per word."""

    ids: np.ndarray
    starts: np.ndarray
    vectors: np.ndarray
    keys: np.ndarray
    known: np.ndarray
    used: np.ndarray
    units: np.ndarray
    scale: np.ndarray


def word_columns(table: TokenTable, source: WordVectors) -> tuple[np.ndarray, np.ndarray]:
    """Vector and known-or-not of every word of the table, looked up once."""
    found: list[np.ndarray] = []

    def vectors(words: list[str]) -> np.ndarray:
        found.extend(source.look_up(words))
        return found[0]

    recipe = source.recipe
    column = table.column(f"vector {recipe}", vectors)
    return column, table.column(f"known {recipe}", lambda words: found[1])


def word_table(table: TokenTable, source: WordVectors, *, unknown: str = "skip") -> WordTable:
    """The table for the vector kernels; unknown words are left out, or (``centre``) stand at the mean of all vectors."""
    vectors, known = word_columns(table, source)
    ids, starts, used = np.asarray(table.ids), np.asarray(table.starts), known
    if unknown == "centre":
        vectors, used = np.where(known[:, None], vectors, centre_of(source)), np.ones_like(known)
    elif not known.all():
        stays = known[ids]
        starts = np.concatenate([[0], np.cumsum(stays)])[starts]
        ids = ids[stays]
    vectors = np.ascontiguousarray(vectors, np.float32)
    return WordTable(ids, starts, vectors, sort_keys(vectors), known, used, *fixed_units(vectors))


def centre_of(source: WordVectors) -> np.ndarray:
    """The mean of all vectors of a source."""
    if not isinstance(source, HasCentre):
        raise NeedsError(
            f"the vectors {source.name!r} have no mean of all their vectors, which this variant uses for unknown words",
            "embedding(variant=plain) leaves unknown words out",
        )
    return np.asarray(source.centre, np.float32)


def fixed_units(vectors: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Each row at length 1, in whole numbers, and 1 / its length in them; a row of zeros has 0 for both.

    >>> units, scale = fixed_units(np.array([[3.0, 4.0], [0.0, 0.0]]))
    >>> (units * scale[:, None]).round(6).tolist()
    [[0.6, 0.8], [0.0, 0.0]]
    """
    units = np.empty(vectors.shape, np.int32)
    scale = np.empty(len(vectors))
    for at in range(0, len(vectors), PART):
        part = vectors[at : at + PART].astype(np.float64)
        largest = np.abs(part).max(axis=1, initial=0.0, keepdims=True)
        part /= np.where(largest > 0, largest, 1)
        norms = np.sqrt((part * part).sum(axis=1, keepdims=True))
        part *= ONE / np.where(norms > 0, norms, 1)
        np.rint(part, out=part)
        units[at : at + PART] = part
        lengths = np.sqrt((part * part).sum(axis=1))
        scale[at : at + PART] = np.divide(1.0, lengths, out=np.zeros(len(part)), where=lengths > 0)
    return units, scale


def sort_keys(vectors: np.ndarray) -> np.ndarray:
    """32-bit floats as whole numbers in the same order.

    >>> sort_keys(np.array([[-2.0, -0.0, 0.0, 1.5]], np.float32)).tolist()
    [[-1073741825, 0, 0, 1069547520]]
    """
    return _turn((vectors + np.float32(0)).view(np.int32))  # adding 0 makes −0 a 0


def from_keys(keys: np.ndarray) -> np.ndarray:
    """The floats of such keys, in the same memory.

    >>> from_keys(sort_keys(np.array([[-2.0, 0.25]], np.float32))).tolist()
    [[-2.0, 0.25]]
    """
    return _turn(keys).view(np.float32)


def _turn(bits: np.ndarray) -> np.ndarray:
    """Turn all bits of negative numbers but the sign, so that what is more negative is smaller; doing it twice undoes it."""
    for at in range(0, len(bits), PART):
        part = bits[at : at + PART]
        part ^= (part >> 31) & 0x7FFFFFFF
    return bits


def mean_and_extrema(
    words: WordTable, rows: np.ndarray, weights: np.ndarray, *, zero_minimum: bool = False
) -> tuple[np.ndarray, np.ndarray]:
    """(texts, width) weighted mean and per-dimension extremes of the word vectors of these texts; zeros where no word counts."""
    width = words.vectors.shape[1]
    means, extrema = np.zeros((len(rows), width), np.float32), np.zeros((len(rows), width), np.int32)
    tokens = int((words.starts[rows + 1] - words.starts[rows]).sum()) if len(rows) else 0
    run(
        text_vectors, words.ids, words.starts, rows.astype(np.int32), words.vectors, words.keys, weights, zero_minimum,
        means, extrema, np.zeros(width), *np.zeros((2, width), np.int32), steps=tokens * width * 3,
    )  # fmt: skip
    return means, from_keys(extrema)
