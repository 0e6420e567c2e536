"""Checks of the lists that ``Corpus.of`` takes, at the speed of one pass over their types."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import chain
from typing import Any

from dialometer.core.errors import DataError, UsageError

_WAY = 'Corpus.of(["a response", …], [["its reference", "another"], …])'


def check_responses(responses: Iterable[str]) -> list[str]:
    """The responses as a list of texts."""
    texts = _as_list(responses, "responses")
    if wrong := _first_non_text(texts):
        raise _not_a_text(*wrong, "response")
    return texts


def check_references(references: Iterable[str | Sequence[str]] | None, n: int) -> list[Sequence[str]]:
    """The references of each of n responses; a text in place of a list is one reference."""
    if references is None:
        return [()] * n
    rows: list[Any] = _as_list(references, "references")
    if len(rows) != n:
        raise UsageError(f"there are {n} responses and references for {len(rows)}", "give every response its references")
    if not set(map(type, rows)) <= {list, tuple}:
        rows = [_row(row, number) for number, row in enumerate(rows)]
    if not _are_texts(chain.from_iterable(rows)):
        number, (_, value) = next((i, wrong) for i, row in enumerate(rows) if (wrong := _first_non_text(row)))
        raise _not_a_text(number, value, "a reference of response")
    return rows


def _as_list(values: Any, what: str) -> list[Any]:
    """A list of what a list, a tuple, an array or a column of a table holds."""
    if isinstance(values, str | bytes):
        raise UsageError(f"the {what} are one text, and a list of texts is wanted", _WAY)
    if isinstance(values, Mapping) or hasattr(values, "columns"):
        kind = type(values).__name__
        raise UsageError(
            f"the {what} are a {kind}, whose names would be scored instead of its texts", _column(values, what)
        )
    if not isinstance(values, Iterable):
        raise UsageError(f"the {what} are {type(values).__name__}, and a list of texts is wanted", _WAY)
    return values if type(values) is list else list(values)


def _column(values: Any, what: str) -> str:
    """How to pass one column of a table."""
    names = values if isinstance(values, Mapping) else values.columns  # a Polars frame iterates over columns, not names
    name = next((name for name in names if isinstance(name, str)), what)
    return f'pass one column as a list, as in list(table["{name}"])'


def _row(row: Any, number: int) -> Sequence[str]:
    if isinstance(row, str):
        return [row]
    if isinstance(row, Mapping | bytes) or not isinstance(row, Iterable):
        raise _not_a_text(number, row, "references of response")
    return list(row)


def _are_texts(values: Iterable[Any]) -> bool:
    return all(issubclass(kind, str) for kind in set(map(type, values)))


def _first_non_text(values: Sequence[Any]) -> tuple[int, Any] | None:
    """Number and value of the first that is no text; none where all are texts."""
    if _are_texts(values):
        return None
    return next((number, value) for number, value in enumerate(values) if not isinstance(value, str))


def _not_a_text(number: int, value: Any, what: str) -> DataError:
    got = f"{value!r}"[:40]
    return DataError(
        f"{type(value).__name__} {got} is not a text",
        item=f"{what} {number}",
        hint='write "" for an empty response, and [] where there is no reference',
    )
