"""WordNet's ``dict`` files, read lazily: a word's synsets, and the other words in them.

Forms follow WordNet's own morphology (morphy, as NLTK applies it): the word itself, and its bases from the list of exceptions
or else by suffix rules, where they are in the index of that part of speech.
"""

from __future__ import annotations

import re
from functools import cache, cached_property
from pathlib import Path

from dialometer.text.meteor.resources import content_hash

_PARTS = ("noun", "verb", "adj", "adv")
_SUFFIXES = {
    "noun": "s: ses:s ves:f xes:x zes:z ches:ch shes:sh men:man ies:y",
    "verb": "s: ies:y es:e es: ed:e ed: ing:e ing:",
    "adj": "er: est: er:e est:e",
    "adv": "",
}
_RULES = {
    part: [(old.encode(), new.encode()) for old, new in (rule.split(":") for rule in text.split())]
    for part, text in _SUFFIXES.items()
}
_LAST = frozenset((b"s", b"n", b"d", b"g", b"r", b"t"))  # no rule fits a word that ends otherwise
_PLACE = 1_000_000_000
_PLACES = tuple((part, i * _PLACE) for i, part in enumerate(_PARTS))
_MARKER = re.compile(rb"\([^()]*\)$")


def _read(file: Path) -> bytes:
    """The bytes of a file; some copies have Windows line ends, and offsets do not count these."""
    return file.read_bytes().replace(b"\r\n", b"\n")


class WordNet:
    """One ``dict`` folder."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._lemmas: dict[int, set[bytes]] = {}

    @property
    def name(self) -> str:
        """Short hash of all the files that decide a synonym."""
        kinds = ("index.{}", "data.{}", "{}.exc")
        return content_hash(*(self.folder / kind.format(part) for part in _PARTS for kind in kinds))[:8]

    @cached_property
    def _index(self) -> dict[str, dict[bytes, bytes]]:
        """Per part of speech: lemma → its line of the index."""
        lines = {part: _read(self.folder / f"index.{part}").split(b"\n") for part in _PARTS}
        return {part: {line[: line.index(b" ")]: line for line in lines[part] if line and line[0] != 32} for part in _PARTS}

    @cached_property
    def _exceptions(self) -> dict[str, dict[bytes, list[bytes]]]:
        rows = {part: map(bytes.split, _read(self.folder / f"{part}.exc").splitlines()) for part in _PARTS}
        return {part: {row[0]: row[1:] for row in rows[part] if row} for part in _PARTS}

    @cached_property
    def _data(self) -> dict[str, bytes]:
        return {part: _read(self.folder / f"data.{part}") for part in _PARTS}

    def forms(self, word: bytes, part: str) -> list[bytes]:
        """The lemmas of one part of speech that a word may be a form of."""
        index, exceptions = self._index[part], self._exceptions[part]
        if word in exceptions:
            bases = exceptions[word]
        elif word[-1:] in _LAST:
            bases = [word[: -len(old)] + new for old, new in _RULES[part] if word.endswith(old)]
        else:
            return [word] if word in index else []
        return [form for form in dict.fromkeys([word, *bases]) if form in index]

    def numbers(self, word: str) -> list[int]:
        """Every synset of a lower-case word and of its base forms, as numbers: part of speech and offset in one."""
        spelt = word.encode()
        return [
            place + int(offset)
            for part, place in _PLACES
            for form in self.forms(spelt, part)
            for offset in _offsets(self._index[part][form])
        ]

    def own_numbers(self, word: str) -> list[int]:
        """The synsets that list a word itself, in whatever spelling."""
        spelt = word.encode()
        lines = ((place, self._index[part].get(spelt)) for part, place in _PLACES)
        return [place + int(offset) for place, line in lines if line is not None for offset in _offsets(line)]

    def lemmas(self, number: int) -> set[bytes]:
        """The words of a synset as WordNet spells them, capitals kept, markers such as ``(p)`` taken off."""
        if number not in self._lemmas:
            part, offset = _PARTS[number // _PLACE], number % _PLACE
            data = self._data[part]
            fields = data[offset : data.index(b"|", offset)].split()
            self._lemmas[number] = {_MARKER.sub(b"", name) for name in fields[4 : 4 + 2 * int(fields[3], 16) : 2]}
        return self._lemmas[number]

    def spells(self, number: int, word: str) -> bool:
        """Whether a synset holds a word in exactly this spelling."""
        return word.encode() in self.lemmas(number)


def _offsets(line: bytes) -> list[bytes]:
    """The synset offsets of an index line, which holds as many of them as its third field says, last."""
    fields = line.split()
    return fields[-int(fields[2]) :]


@cache
def open_wordnet(folder: Path) -> WordNet:
    """One reader per folder and process."""
    return WordNet(folder)
