"""N-gram overlap of a reply with its context and with itself. A similarity alone takes a copy for the best response."""

from __future__ import annotations

import numpy as np

from dialometer.text.corpus import Corpus

START, END = -1, -2  # a reply of one word has two pairs


def self_overlap_columns(corpus: Corpus) -> np.ndarray:
    """(examples, 2) float64: the shares of its pairs of neighbouring words that the context has, and that it has said already.

    >>> from dialometer.core.types import Example, Turn
    >>> items = [Example(f"{n}", (Turn("a", "do you like tea"),), text) for n, text in enumerate(("like tea", "tea tea tea", ""))]
    >>> self_overlap_columns(Corpus.build(items)).round(3).tolist()
    [[0.667, 0.0], [0.25, 0.25], [0.0, 0.0]]
    """
    table = corpus.table("words")
    pairs: dict[int, list[tuple[int, int]]] = {}

    def of(row: int) -> list[tuple[int, int]]:
        if row not in pairs:
            words = table.ids[table.starts[row] : table.starts[row + 1]].tolist()
            pairs[row] = list(zip([START, *words], [*words, END], strict=True)) if words else []
        return pairs[row]

    found = np.zeros((len(corpus), 2))
    contexts = corpus.contexts
    for row, reply in enumerate(corpus.response.tolist()):
        own = of(reply)
        if own:
            heard = {
                pair
                for turn in contexts.rows[contexts.starts[row] : contexts.starts[row + 1]].tolist()
                for pair in of(turn)
            }
            found[row] = sum(pair in heard for pair in own) / len(own), 1 - len(set(own)) / len(own)
    return found
