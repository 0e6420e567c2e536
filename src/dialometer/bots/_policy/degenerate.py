"""Replies that are worth nothing whatever a judge says: empty, repeated and universal ones (Deriu and Cieliebak 2019, §5.2)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import numpy as np

from dialometer.bots._policy.episode import Episode
from dialometer.text.tokenisers.base import tokeniser

KINDS = ("empty", "repeated", "universal")
SHARE, LEAST = 0.5, 3  # of the episodes of a batch in which a universal reply is said, and how many they are at least


def degenerate(episodes: Sequence[Episode]) -> dict[str, np.ndarray]:
    """Kind → (episodes, own turns) bool; replies are the same if their words are, and an empty one is nothing else besides.

    Empty: no letter and no digit. Repeated: said before in the episode by whomever, the opener included, or three words or more
    of which half or fewer are different ones. Universal: said in half of the episodes or more, and in three at least.

    >>> found = degenerate([Episode(("Hi !",), ("hi !", "...", "no no no", "yes"))])
    >>> found["empty"].tolist(), found["repeated"].tolist()
    ([[False, True, False, False]], [[True, False, True, False]])
    """
    words = [[_words(text) for text in one.said] for one in episodes]
    common = Counter(reply for one, said in zip(episodes, words, strict=True) for reply in {said[turn] for turn in one.own})
    often = max(LEAST, SHARE * len(episodes))
    found: dict[str, list[list[bool]]] = {kind: [] for kind in KINDS}
    for one, said in zip(episodes, words, strict=True):
        given = [_words(text) for text in one.opener]
        empty = [not _says(said[turn]) for turn in one.own]
        again = [said[turn] in (*given, *said[:turn]) or _stammers(said[turn]) for turn in one.own]
        usual = [common[said[turn]] >= often for turn in one.own]
        found["empty"].append(empty)
        found["repeated"].append([a and not e for a, e in zip(again, empty, strict=True)])
        found["universal"].append([u and not e for u, e in zip(usual, empty, strict=True)])
    return {kind: np.array(rows, bool) for kind, rows in found.items()}


def word_count(text: str) -> int:
    """Words and punctuation marks."""
    return len(_words(text))


def _words(text: str) -> tuple[str, ...]:
    return tuple(tokeniser("words").split(text))


def _says(words: tuple[str, ...]) -> bool:
    return any(sign.isalnum() for word in words for sign in word)


def _stammers(words: tuple[str, ...]) -> bool:
    return len(words) >= 3 and 2 * len(set(words)) <= len(words)
