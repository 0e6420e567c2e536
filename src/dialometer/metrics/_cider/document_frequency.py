"""Document frequencies of n-grams, keyed by spelling: computed per part of a corpus, merged, looked up."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from dialometer.kernels.frequency import add_tree, count_documents, look_up
from dialometer.kernels.jit import run
from dialometer.text.corpus import Rows
from dialometer.text.table import TokenTable
from dialometer.text.texts import Texts

Tree = Mapping[str, np.ndarray]
_ROOM = 1 << 12


def document_tree(table: TokenTable, documents: Rows, order: int) -> Tree:
    """How many documents (rows of texts) hold each n-gram of orders 1 to ``order``."""
    tokens = int(table.lengths()[documents.rows].sum())
    room = max(_ROOM, 1 << (tokens * order).bit_length())
    while True:
        parents, words, counts, slots = _empty(room)
        size = run(
            count_documents, table.ids, table.starts, documents.starts, documents.rows, order, 1,
            parents, words, counts, slots, np.empty(room // 2, np.int32), steps=tokens * order * 6,
        )  # fmt: skip
        if size > 0:
            return _tree(
                parents[:size].copy(),
                words[:size].copy(),
                counts[:size].copy(),
                slots,
                table.words,
                len(documents.starts) - 1,
            )
        room *= 4


def merge_trees(parts: Sequence[Tree]) -> Tree:
    """The sum of trees over disjoint sets of documents."""
    index: dict[str, int] = {}
    renamed = [
        np.fromiter((index.setdefault(word, len(index)) for word in Texts(p["bytes"], p["starts"])), np.int32)
        for p in parts
    ]
    room = max(_ROOM, 1 << (2 * max(len(p["parents"]) for p in parts)).bit_length())
    while True:
        parents, words, counts, slots = _empty(room)
        size = 1
        for part, names in zip(parts, renamed, strict=True):
            size = run(
                add_tree, part["parents"], part["words"], part["counts"], names, size, parents, words, counts, slots,
                np.empty(len(part["parents"]), np.int32), steps=len(part["parents"]) * 8,
            )  # fmt: skip
            if size < 0:
                break
        if size > 0:
            documents = int(sum(int(part["documents"][0]) for part in parts))
            return _tree(
                parents[:size].copy(), words[:size].copy(), counts[:size].copy(), slots, Texts.of(index), documents
            )
        room *= 4


def frequencies(tree: Tree, table: TokenTable, rows: np.ndarray, order: int) -> tuple[np.ndarray, np.ndarray]:
    """Document frequencies of the n-grams of texts: flat counts and, per row, where its block starts."""
    if tree["bytes"] is table.words.bytes:  # made from this very table
        renamed = np.arange(len(table.words), dtype=np.int32)
    else:
        index = {word: i for i, word in enumerate(Texts(tree["bytes"], tree["starts"]))}
        renamed = np.fromiter((index.get(word, -1) for word in table.spellings()), np.int32, len(table.words))
    sizes = table.lengths()[rows] * order
    at = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
    counts = np.zeros(int(at[-1]), np.int32)
    run(
        look_up, table.ids, table.starts, rows.astype(np.int32), renamed, order,
        tree["parents"], tree["words"], tree["counts"], tree["slots"], at, counts, steps=int(at[-1]) * 6,
    )  # fmt: skip
    return counts, at


def _empty(room: int) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    parents, words, counts = (np.zeros(room // 2, np.int32) for _ in range(3))
    return parents, words, counts, np.zeros(room, np.int32)


def _tree(
    parents: np.ndarray, words: np.ndarray, counts: np.ndarray, slots: np.ndarray, spellings: Texts, documents: int
) -> Tree:
    """The arrays of a tree under their names; spellings as bytes and starts."""
    return {
        "parents": parents,
        "words": words,
        "counts": counts,
        "slots": slots,
        "bytes": spellings.bytes,
        "starts": spellings.starts,
        "documents": np.array([documents], np.int64),
    }
