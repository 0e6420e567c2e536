"""``parrot``: says the last turn again, the baseline of every metric that rewards likeness to the context."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from dialometer.core.recipes import short
from dialometer.core.types import Turn

OPENER = "Hello ."  # where there is nothing to repeat yet


@dataclass(frozen=True)
class Parrot:
    """n times what was said last.

    >>> Parrot().reply([(Turn("a", "Tea ?"),), ()])
    [['Tea ?'], ['Hello .']]
    """

    name: ClassVar[str] = "parrot"
    version: ClassVar[int] = 1

    @property
    def recipe(self) -> str:
        """Name and version."""
        return short(self)

    def reply(self, contexts: Sequence[tuple[Turn, ...]], *, n: int = 1, seed: int | Sequence[int] = 0) -> list[list[str]]:
        """The text of the last turn; nothing is drawn."""
        return [[context[-1].text if context else OPENER] * n for context in contexts]
