"""Parquet: nested columns for context, references, ratings and turns; unknown fields as JSON in the column ``extra``.

A turn is {speaker, text, extra}, where extra is JSON with vote, time and whatever else it had.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import date, datetime
from itertools import islice
from pathlib import Path
from typing import Any, ClassVar

import orjson

from dialometer.core.files import open_regular
from dialometer.core.types import Dialogue, Turn
from dialometer.data.field_names import standard
from dialometer.data.fields import item_of
from dialometer.data.formats.csv import OF_DIALOGUE, OF_EXAMPLE, mixed_kinds_error
from dialometer.data.formats.jsonl import dumped, unwritable_value
from dialometer.data.formats.output import replacing
from dialometer.data.formats.protocol import Item
from dialometer.data.lines import stem
from dialometer.data.row_errors import Limits, RowError, parse_rows
from dialometer.data.rows import Row, turn_row

BATCH = 4096
READ_BATCH = 512
TURNS = ("context", "after", "turns")
# What a damaged file can make the decoder raise besides its own errors.
BROKEN = (OSError, ValueError, TypeError, KeyError, IndexError, OverflowError, MemoryError, NotImplementedError)


@dataclass(frozen=True, slots=True)
class Parquet:
    """Columns on disk."""

    name: ClassVar[str] = "parquet"

    def read(self, path: Path, limits: Limits) -> Iterator[tuple[int, Item]]:
        """Items, a few hundred rows in memory at a time."""
        name, allow_empty = stem(path), limits.allow_empty_references

        def make(row: Row, number: int) -> Item:
            return item_of(_fields(standard(row)), name, number, allow_empty)

        return parse_rows(enumerate(rows_of(path), 1), make, str(path), "row")

    def write(self, items: Iterable[Item], path: Path) -> int:
        """Row groups of a few thousand items."""
        import pyarrow.parquet as pq

        stream, written = iter(items), 0
        batch = list(islice(stream, BATCH))
        kind = Dialogue if batch and isinstance(batch[0], Dialogue) else None
        with replacing(path) as file, pq.ParquetWriter(file, _schema(kind is Dialogue), compression="zstd") as out:
            while batch:
                out.write_table(_table(batch, out.schema, kind is Dialogue))
                written += len(batch)
                batch = list(islice(stream, BATCH))
        return written

    def lost(self, item: Item, number: int, path: Path) -> tuple[str, ...]:
        """Nothing."""
        return ()

    def reduce(self, item: Item) -> Iterable[Item]:
        """As it is."""
        return (item,)


def rows_of(path: Path) -> Iterator[Row]:
    """Rows as objects, a few hundred in memory at a time."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        with open_regular(path) as stream, pq.ParquetFile(stream) as file:
            names = file.schema_arrow.names
            if len(set(names)) < len(names):
                raise RowError("header", "names a column twice", "rename one of the two columns")
            for batch in file.iter_batches(READ_BATCH):
                yield from batch.to_pylist()
    except (pa.ArrowException, *BROKEN) as error:
        reason = str(error).splitlines()[0][:120] if str(error) else type(error).__name__
        what = f"is not a readable parquet file ({reason})"
        raise RowError("damaged", what, "write the file again, or name its format with --from") from None


def _fields(row: Row) -> Row:
    """Our own columns unpacked, foreign ones made plain."""
    for column in list(row):
        value = row[column]
        if column == "extra":
            row[column] = _unpack_json(value)
        elif column in TURNS and type(value) is list:
            row[column] = [_turn(turn) for turn in value]
        elif column == "ratings" and isinstance(value, dict | list):
            row[column] = _ratings(value)
        elif type(value) not in (str, int, bool, type(None)):
            row[column] = _simple(value)
    for column in ("after", "own", "extra"):
        if row.get(column) is None:
            row.pop(column, None)
    for column in ("response", "turns"):  # a null here says that the row is of the other kind
        if column in row and row[column] is None:
            del row[column]
    return row


def _ratings(value: Any) -> Any:
    """Qualities of a struct or a map column; a null list is no rating."""
    if type(value) is list:
        if not all(type(pair) is tuple and len(pair) == 2 for pair in value):
            return value
        value = dict(value)
    return {quality: given for quality, given in value.items() if given is not None}


def _turn(turn: Any) -> Any:
    if type(turn) is not dict:
        return turn
    extra = _unpack_json(turn.pop("extra", None))
    rest = {key: _simple(value) for key, value in turn.items() if value is not None}
    return {**rest, **extra} if type(extra) is dict else rest if extra is None else {**rest, "extra": {"extra": extra}}


def _unpack_json(value: Any) -> Any:
    """The object that a JSON column holds, else the value itself."""
    if type(value) is not str:
        return _simple(value)
    try:
        inner = orjson.loads(value)
    except orjson.JSONDecodeError:
        return value
    return inner if type(inner) is dict else value


def _simple(value: Any) -> Any:
    """A value that JSON has too: dates and other rich types as text, NaN as null."""
    if isinstance(value, str | int | None):
        return value
    if isinstance(value, float):
        return value if value - value == 0 else None
    if isinstance(value, list | tuple):
        return [_simple(element) for element in value]
    if isinstance(value, dict):
        return {str(key): _simple(element) for key, element in value.items()}
    return value.isoformat() if isinstance(value, datetime | date) else str(value)


def _schema(dialogue: bool) -> Any:
    import pyarrow as pa

    turn = pa.struct([("speaker", pa.string()), ("text", pa.string()), ("extra", pa.string())])
    rich = {
        **dict.fromkeys(TURNS, pa.list_(turn)),
        **dict.fromkeys(("own", "references", "raters"), pa.list_(pa.string())),
        "ratings": pa.map_(pa.string(), pa.list_(pa.float64())),
    }
    return pa.schema([(name, rich.get(name, pa.string())) for name in (OF_DIALOGUE if dialogue else OF_EXAMPLE)])


def _table(items: list[Item], schema: Any, dialogue: bool) -> Any:
    import pyarrow as pa

    rows = []
    for item in items:
        if isinstance(item, Dialogue) != dialogue:
            raise mixed_kinds_error("parquet")
        rows.append({name: _cell(item, name) for name in schema.names})
    try:
        return pa.Table.from_pylist(rows, schema)
    except (pa.ArrowException, ValueError, TypeError, OverflowError) as error:
        raise unwritable_value(items[0].id, error) from None


def _cell(item: Item, name: str) -> Any:
    value = getattr(item, name)
    if name in TURNS:
        return [_turn_cell(turn, item.id) for turn in value]
    if name == "ratings":
        return [(quality, [_number(x, item.id) for x in given]) for quality, given in value.items()]
    if name == "extra":
        return dumped(dict(value), item.id).decode() if value else None
    return value


def _turn_cell(turn: Turn, name: str) -> Row:
    row = turn_row(turn)
    rest = {key: value for key, value in row.items() if key not in ("speaker", "text")}
    return {"speaker": turn.speaker, "text": turn.text, "extra": dumped(rest, name).decode() if rest else None}


def _number(value: Any, name: str) -> float | None:
    if value is not None and float(value) != value:
        raise unwritable_value(name, ValueError(f"the rating {value} does not fit a 64-bit float"))
    return None if value is None else float(value)
