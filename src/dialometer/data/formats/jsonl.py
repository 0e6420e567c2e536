"""JSON lines: one object a line; ``response`` makes it an Example, ``turns`` a Dialogue.

``{"id","context":[…],"response","references":[…],"system","ratings":{quality:[…]},"raters":[…]}`` and
``{"id","system","turns":[{"speaker","text","vote"?}],"ratings":{quality:[…]}}``. Every other field is kept in
``extra`` and written back beside the known ones.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

import orjson

from dialometer.core.errors import DataError
from dialometer.data.fields import item_of
from dialometer.data.formats.json_values import read_records
from dialometer.data.formats.output import replacing
from dialometer.data.formats.protocol import Item
from dialometer.data.lines import stem
from dialometer.data.row_errors import Limits, RowError, flat
from dialometer.data.rows import Row, row_of


@dataclass(frozen=True, slots=True)
class Jsonl:
    """One JSON object a line, or one array of such objects."""

    name: ClassVar[str] = "jsonl"

    def read(self, path: Path, limits: Limits) -> Iterator[tuple[int, Item]]:
        """Items of a plain or gzip file."""
        name, allow_empty = stem(path), limits.allow_empty_references

        def make(value: Any, number: int) -> Item:
            if type(value) is not dict:
                raise not_an_object(value)
            return item_of(value, name, number, allow_empty)

        return read_records(path, limits, make, lambda value: type(value) is dict)

    def write(self, items: Iterable[Item], path: Path) -> int:
        """One line per item."""
        return write_lines(items, path, row_of)

    def lost(self, item: Item, number: int, path: Path) -> tuple[str, ...]:
        """Nothing."""
        return ()

    def reduce(self, item: Item) -> Iterable[Item]:
        """As it is."""
        return (item,)


def write_lines(items: Iterable[Item], path: Path, row: Any) -> int:
    """One JSON line per item; ``row`` converts an item."""
    written = 0
    with replacing(path) as stream:
        for item in items:
            stream.write(dumped(row(item), item.id) + b"\n")
            written += 1
    return written


def dumped(row: Row | list[Any], name: str) -> bytes:
    """The JSON of a row."""
    try:
        return orjson.dumps(row)
    except (TypeError, UnicodeEncodeError, RecursionError) as error:
        raise unwritable_value(name, error) from None


def unwritable_value(name: str, error: Exception) -> DataError:
    """An item that holds what no file can."""
    shown = flat(name.encode("utf-8", "replace").decode())
    what = f"holds a value that cannot be written ({flat(str(error))})"
    return DataError(what, item=shown, hint="keep texts, numbers, lists and objects")


def not_an_object(value: Any) -> RowError:
    """JSON, but no row."""
    shown = orjson.dumps(value)[:40].decode("utf-8", "replace")
    return RowError(
        "object", f"is JSON but not an object: {shown}", 'one object a line is expected: {"id": …, "response": …}'
    )
