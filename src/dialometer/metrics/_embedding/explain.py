"""The arithmetic behind one response's vector scores, in words."""

from __future__ import annotations

import numpy as np

from dialometer.text.corpus import Corpus
from dialometer.text.table import TokenTable
from dialometer.text.vectors.words import WordTable

MOST = 12  # words that a line names


def explain_pair(
    corpus: Corpus, row: int, table: TokenTable, words: WordTable, weights: np.ndarray, how: str, parts: np.ndarray
) -> list[str]:
    """Lines for the unknown words, and for each reference (or all as one) the three cosines and the matched words."""
    refs = corpus.references.rows[corpus.references.starts[row] : corpus.references.starts[row + 1]].tolist()
    texts = [int(corpus.response[row]), *refs]
    tokens = [np.asarray(table.ids[table.starts[text] : table.starts[text + 1]]) for text in texts]
    spell = table.spellings()
    unknown = dict.fromkeys(spell[word] for ids in tokens for word in ids.tolist() if not words.known[word])
    lines = [f"no vector: {_some(list(unknown))}"] if unknown else []
    if weights.size and not (weights == 1).all():
        lines.append("weights: " + _some([f"{spell[w]} {weights[w]:.3f}" for w in dict.fromkeys(tokens[0].tolist())]))
    sides = [np.concatenate(tokens[1:])] if how == "centroid" and refs else tokens[1:]
    mine = tokens[0][words.used[tokens[0]]]
    for number, (side, values) in enumerate(zip(sides, parts, strict=True), 1):
        name = "all references" if how == "centroid" else f"reference {number}"
        lines.append(f"{name}: average {values[0]:.4f}  extrema {values[1]:.4f}  greedy {values[2]:.4f}")
        theirs = side[words.used[side]]
        lines += [
            f"  {line}"
            for line in (_matched_words(words, mine, theirs, spell, "→"), _matched_words(words, theirs, mine, spell, "←"))
            if line
        ]
    return lines


def _matched_words(words: WordTable, mine: np.ndarray, theirs: np.ndarray, spell: list[str], arrow: str) -> str:
    """Each word's best partner on the other side and their cosine."""
    if not len(mine) or not len(theirs):
        return ""
    a, b = ((words.units[ids] * words.scale[ids, None]) for ids in (mine, theirs))
    found = a @ b.T
    best = found.argmax(axis=1)
    return _some(
        [
            f"{spell[m]} {arrow} {spell[theirs[k]]} {found[n, k]:.4f}"
            for n, (m, k) in enumerate(zip(mine, best, strict=True))
        ]
    )


def _some(parts: list[str]) -> str:
    return ", ".join(parts[:MOST]) + (f", … ({len(parts)} in all)" if len(parts) > MOST else "")
