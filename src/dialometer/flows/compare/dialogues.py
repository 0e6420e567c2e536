"""Conversations (or responses in their contexts) of several systems, each under a name and an id of its own."""

from __future__ import annotations

import logging
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from dialometer.core.errors import UsageError
from dialometer.core.types import Dialogue, Example
from dialometer.data import Item, open_items
from dialometer.flows.compare.sources import WAY, Source

_log = logging.getLogger(__name__)
ALONE = "talk:"  # before the id of a conversation that shares nothing, so that no group is mistaken for it


@dataclass(frozen=True)
class Piece:
    """One conversation: ``item`` has the id and the system of this comparison, ``given`` is the id in its file.

    ``block`` is what it shares with those of other systems: an opener, a context, or an id; ``author`` is the system in its file.
    """

    item: Item
    block: str
    given: str
    source: int
    author: str = ""

    @property
    def system(self) -> str:
        """Who talks."""
        return self.item.system

    @cached_property
    def replies(self) -> list[Example]:
        """What the system said, each in its context."""
        return list(self.item.examples()) if isinstance(self.item, Dialogue) else [self.item]

    @property
    def recipe(self) -> str:
        """The recipe of the bot that talks, where ``play`` wrote it."""
        recipes = self.item.extra.get("recipes")
        return str(recipes.get("a", "")) if isinstance(recipes, dict) else ""


@dataclass(frozen=True)
class Talks:
    """All conversations that are compared; systems and blocks by number, in order of appearance."""

    pieces: tuple[Piece, ...]
    silent: int = 0

    @cached_property
    def systems(self) -> tuple[str, ...]:
        """The systems."""
        return tuple(dict.fromkeys(piece.system for piece in self.pieces))

    @cached_property
    def blocks(self) -> tuple[str, ...]:
        """What conversations share."""
        return tuple(dict.fromkeys(piece.block for piece in self.pieces))

    @cached_property
    def clusters(self) -> tuple[str, ...]:
        """The blocks under the names that ``score`` knows them by."""
        return tuple(block.removeprefix(ALONE) for block in self.blocks)

    @cached_property
    def authors(self) -> dict[str, str]:
        """What each system is called in its file."""
        return {piece.system: piece.author for piece in self.pieces}

    @cached_property
    def cells(self) -> np.ndarray:
        """For each piece its place in a table of systems × blocks, row by row."""
        system = {name: number for number, name in enumerate(self.systems)}
        block = {name: number for number, name in enumerate(self.blocks)}
        return np.array([system[p.system] * len(block) + block[p.block] for p in self.pieces], np.int64)

    def spread(self, values: np.ndarray) -> np.ndarray:
        """A value per piece as a table of systems × blocks: the mean where one system has several; NaN where none."""
        size = len(self.systems) * len(self.blocks)
        known = ~np.isnan(values)
        n = np.bincount(self.cells[known], minlength=size)
        total = np.bincount(self.cells[known], values[known], size)
        table = np.divide(total, n, out=np.full(size, np.nan), where=n > 0)
        return table.reshape(len(self.systems), len(self.blocks))

    @property
    def unit(self) -> str:
        """What one piece is, in a word."""
        return "conversation" if any(isinstance(piece.item, Dialogue) for piece in self.pieces) else "response"


def read_talks(sources: Sequence[Source], *, format: str, max_line: int) -> Talks:
    """Everything that systems said; a system that two sources name alike is told apart by its source."""
    found: list[tuple[int, Item]] = []
    for number, source in enumerate(sources):
        items = open_items(
            source.path, format=source.format or format or None, max_line=max_line, allow_empty_references=True
        )
        found += [(number, item) for item in items]
    names = {(number, item.system): item.system or sources[number].name for number, item in found}
    times = Counter(names.values())
    folders = Counter(source.name for source in sources)
    for (number, system), name in names.items():
        if times[name] > 1:
            source = sources[number]
            names[number, system] = f"{name} @ {source.name if folders[source.name] == 1 else source.path}"
    taken = Counter(item.id for _, item in found)
    every = [_piece(number, item, names[number, item.system], taken[item.id] > 1) for number, item in found]
    pieces = tuple(piece for piece in every if piece.replies)
    talks = Talks(pieces, len(every) - len(pieces))
    for (number, _), name in names.items():
        if name not in talks.systems:
            raise UsageError(f"{name} says nothing in {sources[number].path}", "a system needs one reply at least")
    if len(talks.systems) < 2:
        one = talks.systems[0] if talks.systems else "nobody"
        raise UsageError(f"a comparison wants two systems or more, and there is {one}", WAY)
    if talks.silent:
        _log.warning("%d conversations hold no reply of the system and are left out", talks.silent)
    return talks


def _piece(number: int, item: Item, system: str, twice: bool) -> Piece:
    name = f"{system}:{item.id}" if twice else item.id
    if isinstance(item, Example):
        return Piece(
            replace(item, id=name, system=system, group=item.document), item.document, item.id, number, item.system
        )
    extra = dict(item.extra)
    if system != item.system and item.system in item.speakers:  # who spoke under the old name still speaks for it
        extra["rated_speaker"] = item.system
    block = item.group or f"{ALONE}{item.id}"
    return Piece(replace(item, id=name, system=system, extra=extra, group=block), block, item.id, number, item.system)
