"""The shape of a file format: it reads numbered items, writes items, and says what it cannot hold."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Protocol

from dialometer.core.types import Dialogue, Example
from dialometer.data.row_errors import Limits

Item = Example | Dialogue


class Format(Protocol):
    """One way to keep items in a file."""

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
