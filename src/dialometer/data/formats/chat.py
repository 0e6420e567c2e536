"""Chat messages: a list of ``{role, content}`` per line, or ``{"id"?, "messages": […]}``; one dialogue each.

``role`` is the speaker. Content that is a list of parts gives its texts, and the parts themselves stay in the
turn's ``extra``, so writing gives them back.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

from dialometer.core.types import Dialogue, Turn
from dialometer.data.fields import item_of, type_error
from dialometer.data.formats.json_values import read_records
from dialometer.data.formats.jsonl import not_an_object, write_lines
from dialometer.data.formats.protocol import Item
from dialometer.data.lines import stem
from dialometer.data.row_errors import Limits, RowError
from dialometer.data.rows import Row, rename_fields, row_of, turn_row

OF_ROW = frozenset({"messages"})
OF_MESSAGE = frozenset({"role", "content"})


@dataclass(frozen=True, slots=True)
class Chat:
    """Dialogues as lists of messages."""

    name: ClassVar[str] = "chat"

    def read(self, path: Path, limits: Limits) -> Iterator[tuple[int, Item]]:
        """Dialogues, one per message list."""
        name = stem(path)

        def make(value: Any, number: int) -> Item:
            row = {"messages": value} if type(value) is list else value
            if type(row) is not dict:
                raise not_an_object(value)
            return _dialogue(row, name, number)

        return read_records(path, limits, make, is_conversation)

    def write(self, items: Iterable[Item], path: Path) -> int:
        """One line per dialogue."""
        return write_lines(items, path, _row)

    def lost(self, item: Item, number: int, path: Path) -> tuple[str, ...]:
        """A reply stops being an item of its own."""
        if isinstance(item, Dialogue):
            return ()
        return ("response as an item of its own", *(["references"] if item.references else []))

    def reduce(self, item: Item) -> Iterable[Item]:
        """An example becomes the dialogue that ends with its response."""
        if isinstance(item, Dialogue):
            return (item,)
        turns = (*item.context, Turn("assistant", item.response))
        return (Dialogue(item.id, item.system, turns, item.group, item.ratings, item.raters, item.extra),)


def is_conversation(value: Any) -> bool:
    """Whether a JSON value is one dialogue rather than a list of them."""
    if type(value) is list:
        return bool(value) and type(value[0]) is dict and "role" in value[0]
    return type(value) is dict


def _dialogue(row: Row, name: str, number: int) -> Item:
    messages = row.get("messages")
    if type(messages) is not list:
        found = ", ".join(sorted(row)) or "none"
        what = f"the row has no list of 'messages' (fields found: {found})"
        raise RowError("missing messages", what, 'write {"messages": [{"role": …, "content": …}]}, or try another --from')
    row["messages"] = [_turn(message) for message in messages]
    return item_of(rename_fields(row, {"messages": "turns"}), name, number)


def _turn(message: Any) -> Row:
    """The fields of a turn, from a message."""
    if type(message) is not dict or "role" not in message:
        raise RowError("role", "a message is not an object with a 'role'", 'write {"role": "user", "content": "…"}')
    row = rename_fields(message, {"role": "speaker", "content": "text"})
    content = row.get("text")
    if type(content) is not str:
        inner = row.get("extra", {})
        row["text"] = join_parts(content)
        row["extra"] = {**(inner if type(inner) is dict else {"extra": inner}), "content": content}
    return row


def join_parts(content: Any) -> str:
    """The text of content given in parts, or of none (a message that only calls a tool)."""
    if content is None:
        return ""
    if type(content) is not list:
        raise type_error("content", "text or a list of parts", content)
    texts = [part if type(part) is str else part.get("text") for part in content if type(part) in (str, dict)]
    return "\n".join(text for text in texts if type(text) is str)


def _row(item: Item) -> Row:
    assert isinstance(item, Dialogue)  # ``lost`` and ``reduce`` see to it
    row = row_of(item, OF_ROW)
    return {"messages" if key == "turns" else key: value for key, value in row.items()} | {
        "messages": [_message(turn) for turn in item.turns]
    }


def _message(turn: Turn) -> Row:
    extra: Row = dict(turn.extra)
    content: Any = turn.text
    if "content" in extra and (extra["content"] is None or type(extra["content"]) is list):
        parts = extra["content"]
        if join_parts(parts) == turn.text:
            content = parts
            del extra["content"]
    row = turn_row(Turn(turn.speaker, turn.text, turn.vote, turn.time, extra), OF_MESSAGE)
    del row["speaker"], row["text"]
    return {"role": turn.speaker, "content": content, **row}
