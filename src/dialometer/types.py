"""The nouns of the house: frozen, and only views on data.

Ids are the only join key. ``group`` names what shares a prompt or a conversation; ``extra`` keeps every field
we do not know, so that nothing is lost between reading and writing.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from hashlib import blake2b
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import numpy as np

Rating = float | int | None
RatingLists = Mapping[str, tuple[Rating, ...]]


@dataclass(frozen=True, slots=True)
class Turn:
    """One utterance of a conversation."""

    speaker: str
    text: str
    vote: float | str | None = None
    time: float | str | None = None
    extra: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Example:
    """One response in its context, with its references and ratings."""

    id: str
    context: tuple[Turn, ...]
    response: str
    references: tuple[str, ...] = ()
    system: str = ""
    group: str = ""
    ratings: RatingLists = field(default_factory=dict)
    raters: tuple[str, ...] = ()
    extra: Mapping[str, Any] = field(default_factory=dict)

    @property
    def document(self) -> str:
        """What this item shares with others: its group, else a hash of its context, else its own id."""
        if self.group:
            return self.group
        return f"context:{context_hash(self.context)}" if self.context else f"item:{self.id}"


@dataclass(frozen=True, slots=True)
class Dialogue:
    """One conversation of one system."""

    id: str
    system: str
    turns: tuple[Turn, ...]
    group: str = ""
    ratings: RatingLists = field(default_factory=dict)
    raters: tuple[str, ...] = ()
    extra: Mapping[str, Any] = field(default_factory=dict)

    def examples(self) -> Iterator[Example]:
        """One example per reply, id ``<dialogue>#<turn>``.

        >>> d = Dialogue("d1", "eliza", (Turn("user", "hi"), Turn("bot", "hello"), Turn("user", "bye")))
        >>> [(e.id, e.response, len(e.context)) for e in d.examples()]
        [('d1#1', 'hello', 1), ('d1#2', 'bye', 2)]
        """
        group = self.group or self.id
        for i in range(1, len(self.turns)):
            yield Example(f"{self.id}#{i}", self.turns[:i], self.turns[i].text, (), self.system, group)


@dataclass(frozen=True, slots=True)
class Scores:
    """Columns of numbers, one row per item; NaN means not scored."""

    items: tuple[str, ...]
    columns: dict[str, np.ndarray]
    recipes: dict[str, str]

    def mean(self, column: str) -> tuple[float, int]:
        """The mean over the scored items, and how many they are."""
        values = self.columns[column]
        seen = values[values == values]
        return (float(seen.mean()) if seen.size else float("nan")), int(seen.size)


def context_hash(context: tuple[Turn, ...]) -> str:
    """A short stable name for a context: BLAKE2b over its texts in order."""
    digest = blake2b(digest_size=8)
    for turn in context:
        data = turn.text.encode("utf-8", "surrogatepass")
        digest.update(len(data).to_bytes(8, "little") + data)
    return digest.hexdigest()
