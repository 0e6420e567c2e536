"""JSON values out of a file: one a line, the elements of one array, or values printed over many lines."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from itertools import count, dropwhile
from pathlib import Path
from typing import Any

import orjson

from dialometer.data.formats.protocol import Item
from dialometer.data.lines import blocks, head, lines, not_utf8, too_long
from dialometer.data.row_errors import Limits, RowError, parse_rows

_MARK = re.compile(rb'["\[\]{},]')
_STRING = re.compile(rb'[^"\\]*+(?:\\.[^"\\]*+)*+"', re.DOTALL)
_NOT_FINITE = re.compile(rb"[:\[,]\s*-?(?:NaN|Infinity)\b")


def read_records(
    path: Path, limits: Limits, make: Callable[[Any, int], Item], is_row: Callable[[Any], bool]
) -> Iterator[tuple[int, Item]]:
    """Items of a JSON file; ``is_row`` distinguishes a row that is itself a list from a list of rows."""

    def parsed(raw: bytes | RowError, number: int) -> Item:
        try:
            value = orjson.loads(raw)  # type: ignore[arg-type]
        except orjson.JSONDecodeError as error:
            raise not_json(raw, error) from None
        return make(value, number)

    return parse_rows(*_layout_arguments(path, limits, parsed, is_row))


def _layout_arguments(path: Path, limits: Limits, parsed: Callable[[Any, int], Item], is_row: Callable[[Any], bool]) -> Any:
    """The arguments of ``parse_rows`` for the way this file is laid out."""
    try:
        depth = layout(path, limits, is_row)
    except RowError:  # raised again by the reader, with its position
        depth = None
    if depth is None:
        return _later(lines(path, limits.max_line), limits.after), parsed, str(path)
    elements = zip(count(1), values(blocks(path), depth, limits.max_line), strict=False)
    return _later(elements, limits.after), parsed, str(path), "element"


def _later(rows: Iterator[tuple[int, Any]], after: int) -> Iterator[tuple[int, Any]]:
    return dropwhile(lambda row: row[0] <= after, rows) if after else rows


def layout(path: Path, limits: Limits, is_row: Callable[[Any], bool]) -> int | None:
    """None for one value a line, 1 for the elements of an array, 0 for values over many lines."""
    start = head(path).lstrip()
    if start[:1] not in (b"[", b"{"):
        return None
    first, feed, _ = start.partition(b"\n")
    try:
        whole = is_row(orjson.loads(first))
        return None if whole or start[:1] == b"{" else 1
    except orjson.JSONDecodeError:
        pass
    if start[:1] == b"{":
        # A first line that stops inside an object was pretty-printed; any other is a broken row.
        return 0 if feed and first.rstrip().endswith((b"{", b",", b"[")) else None
    try:
        element = next(values(blocks(path), 1, limits.max_line), b"")
        value = orjson.loads(element)  # type: ignore[arg-type]
    except orjson.JSONDecodeError:
        return 1
    if not is_row([value]):
        return 1
    return 0 if feed else None


def values(pieces: Iterable[bytes], depth: int, max_line: int) -> Iterator[bytes | RowError]:
    """The JSON values that lie ``depth`` brackets deep, cut out of a stream without holding it.

    >>> list(values([b'[{"a": ', b'"]"}, 2]'], 1, 99))
    [b'{"a": "]"}', b'2']
    """
    buffer, at, begin, level = b"", 0, 0, 0
    for piece in pieces:
        buffer, at, begin = buffer[begin:] + piece, at - begin, 0
        while found := _MARK.search(buffer, at):
            mark, at = found[0], found.start()
            if mark == b'"':
                string = _STRING.match(buffer, at + 1)
                if string is None:  # it goes on in the next piece
                    break
                at = string.end()
                continue
            at += 1
            opens, closes = mark in b"[{", mark in b"]}"
            level += opens - closes
            ends = (closes and level == 0) or (depth == 1 and mark == b"," and level == 1)
            if ends:
                value = buffer[begin : at - 1 if depth else at].strip()
                if value:
                    yield value
            if ends or (depth and opens and level == 1):
                begin = at
        else:
            at = len(buffer)
        if len(buffer) - begin > max_line:
            raise too_long(max_line)
    if buffer[begin:].strip():
        yield buffer[begin:].strip()  # the parser refuses whatever follows the last bracket
    if level > 0:
        yield RowError("unclosed", "is not complete: a bracket is never closed", "fetch or write the file again")


def not_json(raw: bytes | RowError, error: orjson.JSONDecodeError) -> RowError:
    """What exactly is wrong with bytes that are not JSON."""
    if isinstance(raw, RowError):
        return raw
    try:
        raw.decode()
    except UnicodeDecodeError as wrong:
        return not_utf8(wrong)
    if "surrogate" in str(error):
        return RowError(
            "surrogate", f"holds half of a surrogate pair ({error})", r"replace lone \ud800–\udfff escapes by �"
        )
    if _NOT_FINITE.search(raw) or "infinity" in str(error):
        return RowError(
            "not finite", "holds NaN or Infinity, which JSON does not have", "write null where a rating is missing"
        )
    return RowError("json", f"is not JSON ({error})", "name the format if it is another one, for example: --from csv")
