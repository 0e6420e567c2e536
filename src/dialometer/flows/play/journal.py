"""The journal of a block of conversations: a line holds the answers of one turn, and what they cost.

It only grows, and each line is on disk before the next turn is asked for; what a kill left of a line is dropped. A line carries
its own digest: from the first line that is not what was written, the turns are asked for again.
"""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from hashlib import blake2b
from pathlib import Path
from typing import Any

import orjson

from dialometer.bots._shared.ask import Answer
from dialometer.bots._shared.converse import Step
from dialometer.flows.play.players import Spent, add_up


@dataclass
class Journal:
    """The turns of one block, and what its bots spent on them."""

    path: Path
    steps: list[Step] = field(default_factory=list)
    spent: dict[str, Spent] = field(default_factory=dict)

    def __post_init__(self) -> None:
        """Read what is whole."""
        data = self.path.read_bytes() if self.path.exists() else b""
        whole = 0
        for line in data.splitlines(keepends=True):
            try:
                row = orjson.loads(line)
                if not line.endswith(b"\n") or row.pop("digest", None) not in (None, _digest(row)):
                    break
                step = [Answer(**answer | {"replies": tuple(answer["replies"])}) for answer in row["answers"]]
                self._count(step, row["spent"])
            except (ValueError, TypeError, KeyError, AttributeError):
                break
            whole += len(line)
        if whole < len(data):
            os.truncate(self.path, whole)

    def add(self, step: Step, spent: dict[str, Spent]) -> None:
        """One more turn, on disk when this returns."""
        answers = [{"replies": answer.replies, "error": answer.error, "cleaned": answer.cleaned} for answer in step]
        with self.path.open("ab") as file:
            row = {"answers": answers, "spent": spent}
            file.write(orjson.dumps(row | {"digest": _digest(row)}) + b"\n")
            file.flush()
            os.fsync(file.fileno())
        self._count(step, spent)

    def _count(self, step: Step, spent: dict[str, Spent]) -> None:
        for label, cost in spent.items():
            add_up(self.spent.setdefault(label, {}), cost)
        self.steps.append(step)


def _digest(row: dict[str, Any]) -> str:
    return blake2b(orjson.dumps(row), digest_size=8).hexdigest()
