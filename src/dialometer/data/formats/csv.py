"""Tables of text with a header row: comma (csv) or tab (tsv) between cells, quotes around them, UTF-8.

Columns: id, context, response, after, reference or references (or reference1, reference2 …), system, group, raters,
``rating:<quality>`` or ``ratings.<quality>``; ``turns`` instead of ``response`` for dialogues; any other column is kept in
``extra``. ``field_names`` has the synonyms that are read. In context, after, references, turns, ratings, raters, extra and rating
columns a cell may hold JSON, and we always write it so; a list of texts as Python prints it is read too. Any other cell there is
plain text, of which a context has one turn per line.
"""

from __future__ import annotations

import ast
import csv
import io
import re
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO, ClassVar

import orjson

from dialometer.core.errors import UsageError
from dialometer.core.types import Dialogue
from dialometer.data.field_names import nearest, rated_quality, standard_names
from dialometer.data.fields import item_of, not_a_rating, text_lines
from dialometer.data.formats.jsonl import dumped, unwritable_value
from dialometer.data.formats.output import replacing
from dialometer.data.formats.protocol import Item
from dialometer.data.lines import lines, stem, text
from dialometer.data.row_errors import Limits, RowError, parse_rows
from dialometer.data.rows import Row, turn_row

JSON_CELLS = {
    "context": list,
    "references": list,
    "turns": list,
    "after": list,
    "own": list,
    "raters": list,
    "ratings": dict,
    "extra": dict,
}
_TEXT = r"""(?:'(?:[^'\\]|\\.)*+'|"(?:[^"\\]|\\.)*+")"""
_PRINTED_LIST = re.compile(rf"\[\s*(?:{_TEXT}\s*,\s*)*+(?:{_TEXT}\s*)?+\]", re.DOTALL)
_PRINTED_ARRAY = re.compile(rf"\[\s*{_TEXT}(?:\s+{_TEXT})++\s*\]", re.DOTALL)
OF_EXAMPLE: tuple[str, ...] = (
    *("id", "context", "response", "after", "own", "references", "system", "group", "ratings", "raters", "extra"),
)
OF_DIALOGUE: tuple[str, ...] = ("id", "system", "turns", "group", "ratings", "raters", "extra")


@dataclass(frozen=True, slots=True)
class Csv:
    """Cells between commas."""

    name: ClassVar[str] = "csv"
    delimiter: ClassVar[str] = ","

    def read(self, path: Path, limits: Limits) -> Iterator[tuple[int, Item]]:
        """Items, one per record; a record may span lines, and is named by its last."""
        name, allow_empty = stem(path), limits.allow_empty_references
        header: list[str] = []

        def make(cells: list[str] | RowError, number: int) -> Item:
            if isinstance(cells, RowError):
                raise cells
            if len(cells) != len(header):
                what = f"has {len(cells)} cells where the header has {len(header)}"
                raise RowError("cells", what, f"put quotes around cells with a {self.delimiter!r}, a quote or a line break")
            return item_of(row_of_cells(header, cells), name, number, allow_empty)

        def body() -> Iterator[tuple[int, list[str] | RowError]]:
            rows = records(path, limits, self.delimiter)
            header.extend(checked_header(next(rows, (1, []))[1]))
            yield from rows

        return parse_rows(body(), make, str(path))

    def write(self, items: Iterable[Item], path: Path) -> int:
        """A header, then one record per item."""
        written, columns = 0, OF_EXAMPLE
        with replacing(path) as stream, _sheet(stream) as sheet:
            out = csv.writer(sheet, delimiter=self.delimiter, quoting=csv.QUOTE_ALL, lineterminator="\n")
            for written, item in enumerate(items, 1):
                if written == 1:
                    columns = OF_DIALOGUE if isinstance(item, Dialogue) else OF_EXAMPLE
                    out.writerow(columns)
                if isinstance(item, Dialogue) != (columns is OF_DIALOGUE):
                    raise mixed_kinds_error(self.name)
                try:
                    out.writerow([cell(item, column) for column in columns])
                except (csv.Error, UnicodeEncodeError) as error:
                    raise unwritable_value(item.id, error) from None
        return written

    def lost(self, item: Item, number: int, path: Path) -> tuple[str, ...]:
        """Nothing."""
        return ()

    def reduce(self, item: Item) -> Iterable[Item]:
        """As it is."""
        return (item,)


@dataclass(frozen=True, slots=True)
class Tsv(Csv):
    """Cells between tabs."""

    name: ClassVar[str] = "tsv"
    delimiter: ClassVar[str] = "\t"


@contextmanager
def _sheet(stream: BinaryIO) -> Iterator[io.TextIOWrapper]:
    """A text stream over bytes that leaves closing them to their owner."""
    sheet = io.TextIOWrapper(stream, "utf-8", newline="")
    try:
        yield sheet
    finally:
        sheet.detach()


def records(path: Path, limits: Limits, delimiter: str) -> Iterator[tuple[int, list[str] | RowError]]:
    """Records with the line each begins on; one that cannot be split into cells is yielded as its RowError."""
    # The module's limit is one for the whole process and starts at 128 KiB, less than a cell of many references.
    csv.field_size_limit(min(max(csv.field_size_limit(), limits.max_line), 2**31 - 1))
    number = 0

    def line(numbered: tuple[int, bytes | RowError]) -> str:
        nonlocal number
        number = numbered[0]
        return text(numbered[1]) + "\n"

    reader = csv.reader(map(line, lines(path, limits.max_line, blank=True)), delimiter=delimiter, strict=True)
    while True:
        try:
            cells = next(reader)
        except StopIteration:
            return
        except csv.Error as error:
            yield number, RowError("quotes", f"cannot be cut into cells ({error})", 'double the quotes inside a cell: ""')
        except RowError as flaw:  # the reader continues after a malformed line
            yield number, flaw
        else:
            if cells:
                yield number, cells


def checked_header(names: list[str] | RowError) -> list[str]:
    """Column names: each once, with a response or turns among them."""
    if isinstance(names, RowError):
        raise names
    header = [name.strip() for name in names]
    twice = sorted({name for name in header if header.count(name) > 1})
    if twice:
        raise RowError("header", f"the header names the column {twice[0]!r} twice", "rename one of the two columns")
    header = standard_names(header)
    if header and not {"response", "turns"} & set(header):
        what = f"the header has no 'response' column (columns found: {', '.join(header)})"
        near = nearest("response", header)
        raise RowError("header", what, f"rename {near!r}" if near else "name the column of replies 'response'")
    return header


def row_of_cells(header: list[str], cells: list[str]) -> Row:
    """Named fields from cells; an empty cell is no value, except for a response."""
    row: Row = {}
    ratings: Row = {}
    for column, content in zip(header, cells, strict=True):
        quality = rated_quality(column)
        if quality:
            if content.strip():
                ratings[quality] = rating(quality, content)
        elif column in JSON_CELLS:
            row[column] = container(content, JSON_CELLS[column]) if content else None
        elif content or column not in ("id", "reference"):
            row[column] = content
    for column in ("after", "own", "extra"):
        if row.get(column) is None:
            row.pop(column, None)
    if type(row.get("after")) is str:
        row["after"] = text_lines(row["after"])
    for column in ("own", "raters"):
        if type(row.get(column)) is str:
            row[column] = [row[column]]
    if ratings and type(row.get("ratings") or {}) is dict:
        row["ratings"] = {**(row.get("ratings") or {}), **ratings}
    return row


def container(content: str, wanted: type) -> Any:
    """The list or object that a cell holds as JSON, or as a printed Python list, else its text."""
    if content[0] not in "[{":
        return content
    try:
        value = orjson.loads(content)
    except (orjson.JSONDecodeError, UnicodeEncodeError):
        return _parse_printed(content) if wanted is list else content
    if type(value) is list and not all(type(element) in (str, dict) for element in value):
        if any(type(element) in (str, dict) for element in value):
            raise RowError("cell", f"a list of texts holds something else: {content[:60]}", "leave out null and numbers")
        return content
    return value if type(value) is wanted else content


def _parse_printed(content: str) -> Any:
    """The texts of a list as Python prints it, which a data frame writes; any other cell is its own text."""
    if _PRINTED_ARRAY.fullmatch(content.strip()):
        what = f"the cell is a printed array, whose texts have no commas between them: {content[:60]}"
        raise RowError("cell", what, "turn arrays into lists before writing: column.map(list)")
    if not _PRINTED_LIST.fullmatch(content.strip()) and not content.startswith("[{"):
        return content
    try:
        value = ast.literal_eval(content.strip())
    except (ValueError, SyntaxError, MemoryError, RecursionError):
        return content
    return value if type(value) is list and all(type(element) in (str, dict) for element in value) else content


def rating(quality: str, content: str) -> Any:
    """A number, or a JSON list of numbers."""
    try:
        return orjson.loads(content)
    except orjson.JSONDecodeError:
        raise not_a_rating(quality, content) from None


def cell(item: Item, column: str) -> str:
    """The text of one field."""
    value = getattr(item, column)
    if type(value) is str:
        return value
    if column in ("context", "turns", "after"):
        value = [turn_row(turn) for turn in value]
    elif column in ("ratings", "extra"):
        value = dict(value)
    return dumped(value, item.id).decode() if value or column in ("context", "turns") else ""


def mixed_kinds_error(name: str) -> UsageError:
    """Replies and dialogues have different columns."""
    return UsageError(f"one {name} file cannot hold both responses and dialogues", "write two files, or --to jsonl")
