"""From an Example or a Dialogue back to a row of named fields: the reverse of ``fields``."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from dialometer.core.types import Dialogue, Turn
from dialometer.data.field_names import is_read
from dialometer.data.fields import derived_group
from dialometer.data.formats.protocol import Item
from dialometer.data.row_errors import RowError

Row = dict[str, Any]
SHARED = frozenset({"id", "system", "group", "ratings", "raters", "turns", "extra"})
OF_EXAMPLE = SHARED | {"context", "response", "references", "reference", "after", "own"}
OF_TURN = frozenset({"speaker", "text", "vote", "time", "extra"})


def row_of(item: Item, taken: frozenset[str] = frozenset()) -> Row:
    """The row of an item; unknown fields are written beside the known ones unless their name is taken."""
    row: Row = {"id": item.id}
    if isinstance(item, Dialogue):
        if item.system:
            row["system"] = item.system
        row["turns"] = [turn_row(turn) for turn in item.turns]
        taken |= SHARED
    else:
        row["context"] = _turns(item.context)
        row["response"] = item.response
        if item.after:
            row["after"] = _turns(item.after)
        if item.own:
            row["own"] = item.own
        row["references"] = item.references
        row["system"] = item.system
        taken |= OF_EXAMPLE
    if item.group != derived_group(item.extra):
        row["group"] = item.group
    if item.ratings or not isinstance(item, Dialogue):
        row["ratings"] = dict(item.ratings)
        row["raters"] = item.raters
    elif item.raters:
        row["raters"] = item.raters
    return {**row, **spread(item.extra, taken | set(filter(is_read, item.extra)))}


def turn_row(turn: Turn, taken: frozenset[str] = frozenset()) -> Row:
    """The object of one turn."""
    row: Row = {"speaker": turn.speaker, "text": turn.text}
    if turn.vote is not None:
        row["vote"] = turn.vote
    if turn.time is not None:
        row["time"] = turn.time
    return {**row, **spread(turn.extra, taken | OF_TURN)}


def spread(extra: Mapping[str, Any], taken: frozenset[str]) -> Row:
    """Unknown fields under their own names; those whose name is taken go inside ``extra``.

    >>> spread({"split": "test", "id": 7}, OF_EXAMPLE)
    {'split': 'test', 'extra': {'id': 7}}
    """
    clash = {key: value for key, value in extra.items() if key in taken}
    if not clash:
        return dict(extra)
    return {**{key: value for key, value in extra.items() if key not in taken}, "extra": clash}


def rename_fields(row: Row, names: Mapping[str, str]) -> Row:
    """The row with fields under our names; a field that already used such a name moves inside ``extra``.

    >>> rename_fields({"dialogue_id": "d1", "id": 5, "text": "hi"}, {"dialogue_id": "id"})
    {'id': 'd1', 'text': 'hi', 'extra': {'id': 5}}
    """
    ours = {names[key] for key in row if key in names}
    new = {names.get(key, key): value for key, value in row.items() if key not in ours or key in names}
    clash = {key: row[key] for key in ours if key in row and key not in names}
    if clash:
        inner = new.get("extra", {})
        nested = inner if type(inner) is dict else {"extra": inner}
        if nested.keys() & clash.keys():
            raise RowError(
                "twice", f"the field {min(nested.keys() & clash.keys())!r} is given twice", "keep one of the two"
            )
        new["extra"] = {**nested, **clash}
    return new


def _turns(turns: Iterable[Turn]) -> list[str | Row]:
    return [turn.text if _plain(turn) else turn_row(turn) for turn in turns]


def _plain(turn: Turn) -> bool:
    return not turn.speaker and not turn.extra and turn.vote is None and turn.time is None
