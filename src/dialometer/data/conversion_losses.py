"""Fields that a conversion would lose: reported before anything is written, or dropped on request."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import islice
from pathlib import Path

from dialometer.core.errors import DataError
from dialometer.data.formats.protocol import Format, Item
from dialometer.data.row_errors import MAX_SCAN, flat


def fitting(items: Iterable[Item], form: Format, path: Path, *, lossy: bool = False) -> Iterator[Item]:
    """Items that the format can represent; others are refused, or reduced if ``lossy``."""
    stream = iter(items)
    for number, item in enumerate(stream, 1):
        if lossy:
            yield from form.reduce(item)
            continue
        gone = form.lost(item, number, path)
        if gone:
            raise _refusal(item, gone, number, stream, form, path)
        yield item


def _refusal(
    first: Item, gone: tuple[str, ...], number: int, stream: Iterator[Item], form: Format, path: Path
) -> DataError:
    """Names every field that any item would lose, and counts the items."""
    fields, count = dict.fromkeys(gone), 1
    for later, item in enumerate(islice(stream, MAX_SCAN), number + 1):
        more = form.lost(item, later, path)
        fields.update(dict.fromkeys(more))
        count += bool(more)
    name = getattr(form, "name", type(form).__name__)
    return DataError(
        f"{name} has no place for: {', '.join(fields)}",
        item=flat(first.id),
        count=count,
        hint="--lossy drops them; --to jsonl, csv or parquet keeps everything",
    )
