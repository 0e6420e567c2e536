"""Named entities in a text: places, times, numbers and persons, with their spelling."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import NamedTuple

from dialometer.text.entities import entities

_WORD = re.compile(r"\d+(?:[.,:]\d+)*|[^\W\d_]+(?:['’][^\W\d_]+)*", re.UNICODE)


class Spelt(NamedTuple):
    """A name with its kind, its spelling and its position."""

    kind: str
    name: str
    spelling: str
    start: int
    end: int


def spelt_names(text: str) -> Iterator[Spelt]:
    """Every mention of what ``entities`` finds in a text.

    >>> [(m.kind, m.spelling) for m in spelt_names("We deliver to Ireland in 3 days.")]
    [('place', 'Ireland'), ('number', '3')]
    """
    found = entities(text)
    if not found:
        return
    for word in _WORD.finditer(text):
        for kind, name in _alone(word[0]):
            if name in found.get(kind, ()):
                yield Spelt(kind, name, word[0], *word.span())


@lru_cache(maxsize=1 << 16)
def _alone(word: str) -> tuple[tuple[str, str], ...]:
    """What a word could name inside a sentence; whether it does is for the whole text to say."""
    return tuple((kind, name) for kind, names in entities(f"x {word}").items() for name in sorted(names))
