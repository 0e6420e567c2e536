"""``constant``: one and the same reply to everything, the generic answer that bots trained by likelihood drift to."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import ClassVar

from dialometer.core.artifacts import digest
from dialometer.core.recipes import short
from dialometer.core.types import Turn


@dataclass(frozen=True)
class Constant:
    """n times ``text``.

    >>> Constant("Yes .").reply([()], n=2)
    [['Yes .', 'Yes .']]
    """

    text: str = field(default="I don't know .", metadata={"recipe": False})  # it may hold any sign; the recipe has a hash

    name: ClassVar[str] = "constant"
    version: ClassVar[int] = 1

    @property
    def recipe(self) -> str:
        """A hash of the text."""
        return short(self, digest(self.text.encode("utf-8", "surrogatepass")))

    def reply(self, contexts: Sequence[tuple[Turn, ...]], *, n: int = 1, seed: int | Sequence[int] = 0) -> list[list[str]]:
        """The text, whatever was said; nothing is drawn."""
        return [[self.text] * n for _ in contexts]
