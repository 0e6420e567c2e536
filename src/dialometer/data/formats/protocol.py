"""The protocol of a file format: read numbered items, write items, and name fields that it cannot represent."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Protocol

from dialometer.core.types import Dialogue, Example
from dialometer.data.row_errors import Limits

Item = Example | Dialogue


class Format(Protocol):
    """A file format of items."""

    def read(self, path: Path, limits: Limits) -> Iterator[tuple[int, Item]]:
        """Line (or row) number and item, streamed."""
        ...

    def write(self, items: Iterable[Item], path: Path) -> int:
        """Write all items or nothing; how many they were."""
        ...

    def lost(self, item: Item, number: int, path: Path) -> tuple[str, ...]:
        """The fields of this item that a file of this format would not give back."""
        ...

    def reduce(self, item: Item) -> Iterable[Item]:
        """The nearest items that fit, for a conversion that may lose something."""
        ...
