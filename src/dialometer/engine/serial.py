"""``serial``: one item after the other, in this process."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from dialometer.core.protocols import Task


@dataclass(frozen=True)
class Serial:
    """No workers: items are processed in the calling process."""

    def map(self, task: Task, items: Iterable[Any]) -> Iterator[Any]:
        """Open once, then apply."""
        work = task.open()
        return (work(item) for item in items)
