"""The form of the DSTC10 evaluation sets: one object per response, in one JSON array or one a line.

``{"dialogue_id","model","context","response","reference":[…],"annotations":{quality:[…]}}``; a context in one string
has one turn per line.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

from dialometer.core.types import Dialogue
from dialometer.data.fields import item_of
from dialometer.data.formats.json_values import read_records
from dialometer.data.formats.jsonl import dumped, not_an_object
from dialometer.data.formats.output import replacing
from dialometer.data.formats.protocol import Item
from dialometer.data.lines import stem
from dialometer.data.row_errors import Limits
from dialometer.data.rows import Row, rename_fields, row_of

NAMES = {"dialogue_id": "id", "model": "system", "reference": "references", "annotations": "ratings"}
THEIRS = {ours: theirs for theirs, ours in NAMES.items()}


@dataclass(frozen=True, slots=True)
class Dstc10:
    """Rated responses as the DSTC10 track published them."""

    name: ClassVar[str] = "dstc10"

    def read(self, path: Path, limits: Limits) -> Iterator[tuple[int, Item]]:
        """Examples."""
        name, allow_empty = stem(path), limits.allow_empty_references

        def make(value: Any, number: int) -> Item:
            if type(value) is not dict:
                raise not_an_object(value)
            row = rename_fields(value, NAMES)
            if type(row.get("context")) is str:
                row["context"] = row["context"].split("\n") if row["context"] else []
            return item_of(row, name, number, allow_empty)

        return read_records(path, limits, make, lambda value: type(value) is dict)

    def write(self, items: Iterable[Item], path: Path) -> int:
        """One array, an element a line."""
        written = 0
        with replacing(path) as stream:
            stream.write(b"[")
            for written, item in enumerate(items, 1):
                stream.write((b"\n" if written == 1 else b",\n") + dumped(_row(item), item.id))
            stream.write(b"\n]\n")
        return written

    def lost(self, item: Item, number: int, path: Path) -> tuple[str, ...]:
        """Dialogues do not fit: only responses have a row here."""
        return lost_of_dialogue(item)

    def reduce(self, item: Item) -> Iterable[Item]:
        """A dialogue becomes one example per reply."""
        return item.examples() if isinstance(item, Dialogue) else (item,)


def lost_of_dialogue(item: Item) -> tuple[str, ...]:
    """What a dialogue loses where only responses have rows."""
    if not isinstance(item, Dialogue):
        return ()
    filled = [name for name in ("ratings", "raters", "extra") if getattr(item, name)]
    return ("turns as one conversation", *filled)


def _row(item: Item) -> Row:
    row = {THEIRS.get(key, key): value for key, value in row_of(item, frozenset(NAMES)).items()}
    context = row.get("context")
    if context is not None and all(type(turn) is str and "\n" not in turn for turn in context):
        text = "\n".join(context)
        row["context"] = text if text or not context else context
    return row
