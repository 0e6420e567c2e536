"""Sentence vectors of a corpus: each distinct text once per corpus and, for encoders worth it, once per machine."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from dialometer.core.capabilities import CachesVectors
from dialometer.core.protocols import Encoder
from dialometer.text.corpus import Corpus, Rows
from dialometer.text.table import row_sums
from dialometer.text.vectors.store import VectorStore, text_keys

BLOCK = 8192  # texts that are encoded between two writes to disk: what a kill can cost


@dataclass
class Known:
    """What a corpus has encoded so far: ``place[text]`` is a row of ``vectors`` and ``covered``, or −1."""

    place: np.ndarray
    vectors: np.ndarray
    covered: np.ndarray


def sentence_vectors(corpus: Corpus, encoder: Encoder, rows: np.ndarray) -> np.ndarray:
    """(rows, width) float32: the vectors of these texts of the corpus; the same bits wherever they come from."""
    known = _known(corpus, encoder, rows)
    return np.asarray(known.vectors[known.place[rows]])


def sentence_coverage(corpus: Corpus, encoder: Encoder, rows: np.ndarray) -> np.ndarray:
    """(rows, 2) int64: known words and words of these texts of the corpus."""
    known = _known(corpus, encoder, rows)
    return np.asarray(known.covered[known.place[rows]])


def text_coverage(corpus: Corpus, encoder: Encoder) -> np.ndarray:
    """(examples, 2) int64: known words and words of each response with its references, vectors not needed."""
    refs = corpus.references
    used, places = np.unique(np.concatenate([corpus.response, refs.rows]), return_inverse=True)
    covered = encoder.coverage([corpus.texts[row] for row in used.tolist()])
    return with_references(refs, covered[places[: len(corpus)]], covered[places[len(corpus) :]])


def with_references(refs: Rows, own: np.ndarray, theirs: np.ndarray) -> np.ndarray:
    """Whole numbers of each response plus those of its references.

    >>> with_references(Rows.of([[0, 1], []]), np.array([[1, 2], [3, 4]]), np.array([[10, 20], [10, 20]])).tolist()
    [[21, 42], [3, 4]]
    """
    return np.asarray(own + row_sums(theirs, refs.starts))


def _known(corpus: Corpus, encoder: Encoder, rows: np.ndarray) -> Known:
    """The corpus's own memory, with these texts in it."""
    recipe = encoder.recipe
    if recipe not in corpus._vectors:
        nothing = np.zeros((0, encoder.width), np.float32), np.zeros((0, 2), np.int64)
        corpus._vectors[recipe] = Known(np.full(len(corpus.texts), -1, np.int64), *nothing)
    known: Known = corpus._vectors[recipe]
    new = np.unique(rows[known.place[rows] < 0])
    if len(new):
        texts = [corpus.texts[row] for row in new.tolist()]
        keep = corpus.keep and isinstance(encoder, CachesVectors) and encoder.keeps
        vectors, covered = _cached_vectors(texts, encoder) if keep else (encoder.encode(texts), encoder.coverage(texts))
        known.place[new] = len(known.vectors) + np.arange(len(new))
        known.vectors = np.concatenate([known.vectors, vectors])
        known.covered = np.concatenate([known.covered, covered])
    return known


def _cached_vectors(texts: list[str], encoder: Encoder) -> tuple[np.ndarray, np.ndarray]:
    """Vectors and coverage from the disk, and to it; the two counts lie behind the numbers of the vector."""
    width = encoder.width
    store, keys = VectorStore.of(encoder.recipe, width + 2), text_keys(texts)
    rows = np.zeros((len(texts), width + 2), np.float32)
    missing = np.flatnonzero(~store.find(keys, rows))
    for at in range(0, len(missing), BLOCK):
        block = missing[at : at + BLOCK]
        chosen = [texts[i] for i in block.tolist()]
        rows[block, :width] = encoder.encode(chosen)
        rows[block, width:] = encoder.coverage(chosen)
        store.add(keys[block], rows[block])
    return np.ascontiguousarray(rows[:, :width]), rows[:, width:].astype(np.int64)
