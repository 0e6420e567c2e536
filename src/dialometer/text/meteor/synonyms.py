"""Which words of a vocabulary are synonyms, as one list of word numbers per word.

METEOR 1.5: two words that share a synset, each looked up as it is and by its base forms. NLTK's METEOR: a word of the response
reaches synsets through its base forms; a word of the reference must stand in one of them exactly as WordNet spells it.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import cached_property
from itertools import accumulate, chain
from typing import Protocol

import numpy as np

from dialometer.text.meteor.resources import meteor_member
from dialometer.text.meteor.wordnet import WordNet

# METEOR's own suffix rules, in its order; the first that leads to a known word is the only one used.
_SUFFIXES = "s: ses:s xes:x zes:z ches:ch shes:sh men:man ies:y s: ies:y es:e es: ed:e ed: ing:e ing: er: est: er:e est:e"
_RULES: dict[int, list[tuple[bytes, bytes]]] = {}  # by a word's last letter
for _old, _, _new in (rule.partition(":") for rule in dict.fromkeys(_SUFFIXES.split())):
    _RULES.setdefault(ord(_old[-1]), []).append((_old.encode(), _new.encode()))


class SynsetSource(Protocol):
    """What gives a word's synsets as numbers."""

    def numbers(self, word: str) -> list[int]: ...


class MeteorSynsets:
    """The synonym lists that come with METEOR 1.5."""

    @cached_property
    def _sets(self) -> dict[bytes, bytes]:
        lines = (meteor_member("synonym/english.synsets") or b"").split(b"\n")
        return dict(zip(lines[0::2], lines[1::2], strict=False))

    @cached_property
    def _bases(self) -> dict[bytes, list[bytes]]:
        lines = (meteor_member("synonym/english.exceptions") or b"").split(b"\n")
        bases: dict[bytes, list[bytes]] = {}
        for base, forms in zip(lines[0::2], lines[1::2], strict=False):
            for form in forms.split():
                bases.setdefault(form, []).append(base)
        return bases

    def numbers(self, word: str) -> list[int]:
        """The synsets of the word and of its base forms."""
        spelt = word.encode()
        forms = [spelt, *(self._bases[spelt] if spelt in self._bases else self._base(spelt))]
        sets = self._sets
        return [int(number) for form in forms if form in sets for number in sets[form].split()]

    def _base(self, word: bytes) -> list[bytes]:
        if len(word) <= 2 or word.endswith(b"ss"):
            return []
        for old, new in _RULES.get(word[-1], ()):
            if word.endswith(old) and word[: -len(old)] + new in self._sets:
                return [word[: -len(old)] + new]
        return []


class WordNetSynsets:
    """Synsets straight from WordNet, where METEOR's own lists are not installed."""

    def __init__(self, wordnet: WordNet) -> None:
        self.wordnet = wordnet

    def numbers(self, word: str) -> list[int]:
        """Offsets, made distinct by part of speech."""
        return self.wordnet.numbers(word.lower())


def shared_synsets(words: list[str], source: SynsetSource) -> tuple[np.ndarray, np.ndarray]:
    """METEOR 1.5: for each word the words that share a synset with it (starts, words)."""
    reach = _flat(map(source.numbers, words))
    left, right, _ = _join(reach, reach)
    return _lists(left, right, len(words))


def wordnet_links(words: list[str], wordnet: WordNet) -> tuple[np.ndarray, np.ndarray]:
    """NLTK: for each lower-case word the words that WordNet spells so in one of its synsets (starts, words)."""
    reach = _flat(map(wordnet.numbers, words))
    own = _flat(wordnet.own_numbers(word) if "_" not in word else [] for word in words)
    left, right, synset = _join(reach, own)
    claims = np.unique(np.stack([right, synset]), axis=1)
    spelt = {(word, number) for word, number in claims.T.tolist() if wordnet.spells(number, words[word])}
    kept = np.fromiter((pair in spelt for pair in zip(right.tolist(), synset.tolist(), strict=True)), bool, len(right))
    return _lists(left[kept], right[kept], len(words))


def _flat(lists: Iterable[list[int]]) -> tuple[np.ndarray, np.ndarray]:
    """Lists of synsets per word as (word, synset) columns."""
    made = list(lists)
    counts = list(accumulate(map(len, made), initial=0))
    synsets = np.fromiter(chain.from_iterable(made), np.int64, counts[-1])
    return np.repeat(np.arange(len(made)), np.diff(counts)), synsets


def _join(
    reach: tuple[np.ndarray, np.ndarray], own: tuple[np.ndarray, np.ndarray]
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """All (word, other word, synset) where the first reaches a synset that the second owns."""
    order = np.argsort(own[1], kind="stable")
    words, synsets = own[0][order], own[1][order]
    low, high = np.searchsorted(synsets, reach[1], "left"), np.searchsorted(synsets, reach[1], "right")
    counts = high - low
    rows = np.arange(int(counts.sum())) + np.repeat(low - np.cumsum(counts) + counts, counts)
    left, right = np.repeat(reach[0], counts), words[rows]
    other = left != right
    return left[other], right[other], synsets[rows][other]


def _lists(left: np.ndarray, right: np.ndarray, n: int) -> tuple[np.ndarray, np.ndarray]:
    pairs = np.sort(left * n + right)
    pairs = pairs[np.diff(pairs, prepend=-1) > 0]
    starts = np.concatenate([[0], np.cumsum(np.bincount(pairs // max(n, 1), minlength=n))]).astype(np.int64)
    return starts, (pairs % max(n, 1)).astype(np.int32)
