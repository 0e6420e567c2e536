"""The reader of items: files in any format, validated, with unique ids."""

from __future__ import annotations

import logging
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice
from pathlib import Path
from typing import NamedTuple

from dialometer.core.errors import DataError, UsageError
from dialometer.core.files import MAX_LINE
from dialometer.core.registry import create
from dialometer.core.types import Dialogue, Example
from dialometer.data.field_names import similar_names
from dialometer.data.formats.detect import check_path, detect
from dialometer.data.formats.parallel import Parallel, name_systems
from dialometer.data.formats.protocol import Format, Item
from dialometer.data.row_errors import MAX_COUNT, MAX_SCAN, Limits, flat, limits

_log = logging.getLogger(__name__)
Paths = str | Path | Iterable[str | Path]


def open_items(
    paths: Paths, *, format: str | Format | None = None, max_line: int = MAX_LINE, allow_empty_references: bool = False
) -> Iterator[Item]:
    """Items of all files in order, streamed; ids are checked over the whole input.

    ``format`` is found out per file unless named; with "parallel" the first path holds the responses and the others
    references.
    """
    accepted = limits(max_line, allow_empty_references)
    return ItemReader(sources(paths, format), accepted).items()


def examples(
    paths: Paths, *, format: str | Format | None = None, max_line: int = MAX_LINE, allow_empty_references: bool = False
) -> Iterator[Example]:
    """The same as Examples: a dialogue gives one per reply."""
    door = ItemReader(sources(paths, format), limits(max_line, allow_empty_references))
    return (example for _, example in door.examples())


def sources(paths: Paths, format: str | Format | None = None, references: Sequence[str] = ()) -> list[tuple[Format, Path]]:
    """Each file with the format that reads it; every path is checked before the first row is read.

    ``references`` are the files of references of parallel text; without them the first path holds the responses and the others
    references.
    """
    files = [check_path(path) for path in ([paths] if isinstance(paths, str | Path) else paths)]
    if not files:
        raise UsageError("no file was given", "dialometer convert FILE -o OUT.jsonl")
    if format == "parallel":
        responses, shared = (files, [check_path(path) for path in references]) if references else (files[:1], files[1:])
        systems = name_systems(responses) if len(responses) > 1 else [""]
        return [
            (Parallel(references=tuple(map(str, shared)), system=system), file)
            for system, file in zip(systems, responses, strict=True)
        ]
    if format is None or isinstance(format, str):
        return [(create("format", format or detect(file)), file) for file in files]
    return [(format, file) for file in files]


class ReadPosition(NamedTuple):
    """A position in the input: the file, the row in it, and the reply within a dialogue."""

    source: int = 0
    number: int = 0
    reply: int = 0


@dataclass(frozen=True)
class ItemReader:
    """Reads items from files; refuses a second item with the same id in any of them."""

    sources: list[tuple[Format, Path]]
    limits: Limits
    # Hashes instead of ids: a few dozen bytes per item however long ids are. A hit is verified by reading again.
    seen: set[int] = field(default_factory=set)
    looked_at: set[int] = field(default_factory=set)

    def items(self) -> Iterator[Item]:
        """All items in order."""
        return (item for _, item in self.placed(ReadPosition()))

    def examples(self, after: ReadPosition | None = None) -> Iterator[tuple[ReadPosition, Example]]:
        """Examples with their positions; those up to ``after`` were read before and are skipped."""
        start, silent = after or ReadPosition(), 0
        for (source, number, _), item in self.placed(start):
            read_before = start.reply if (source, number) == start[:2] else 0
            if isinstance(item, Example):
                if not read_before:
                    yield ReadPosition(source, number, 1), item
                continue
            reply = 0
            for reply, example in enumerate(item.examples(), 1):
                if reply > read_before:
                    place = ReadPosition(source, number, reply)
                    self.check_reply(place, example)
                    yield place, example
            silent += not reply
        if silent:
            _log.warning("%d conversations hold no reply of the system and give nothing to score", silent)

    def check_reply(self, place: ReadPosition, example: Example) -> None:
        """Refuse a reply whose generated id is taken by an item."""
        key = hash(example.id)
        if key in self.seen:
            raise DataError(
                "a reply of this dialogue gets an id that is taken",
                file=str(self.sources[place.source][1]),
                line=place.number,
                item=flat(example.id),
                hint="rename the item or the dialogue: replies are named <dialogue>#<turn>",
            )
        self.seen.add(key)

    def placed(self, start: ReadPosition) -> Iterator[tuple[ReadPosition, Item]]:
        """Items with their positions, from ``start`` on; ids of earlier ones must be in ``seen``."""
        seen = self.seen
        for at, (form, path) in enumerate(self.sources):
            if at < start.source:
                continue
            first = start.number if at == start.source else 0
            number = 0
            rows = form.read(path, replace(self.limits, after=max(0, first - 1)))
            for number, item in rows:
                if number < first:  # a format that cannot skip rows
                    continue
                if at not in self.looked_at:
                    self.warn_of_names(at, item)
                key = hash(item.id)
                if key in seen and number != first:
                    self.refuse_twin(at, number, item.id, rows)
                seen.add(key)
                yield ReadPosition(at, number), item
            if not number and not first:
                raise DataError("holds no rows", file=str(path), hint=f"look at it: head {path}")

    def warn_of_names(self, at: int, item: Item) -> None:
        """Warn of unknown fields in a file's first item whose names are similar to that of a missing field."""
        self.looked_at.add(at)
        for name, known in similar_names(item):
            path = self.sources[at][1]
            _log.warning("%s: the field %r is not read, and there is no %r; rename it if it is meant", path, name, known)

    def refuse_twin(self, at: int, number: int, name: str, rows: Iterator[tuple[int, Item]]) -> None:
        """Refuse a second item of the same id; returns when the hash alone was the same."""
        first = self.find(name, at, number)
        if first is None:
            return
        count, whole = 1, False
        try:
            for _, item in islice(rows, MAX_SCAN):
                key = hash(item.id)
                count += key in self.seen
                self.seen.add(key)
                if count >= MAX_COUNT:
                    break
            whole = next(rows, None) is None
        except DataError:  # a later row has an error of another kind
            whole = False
        raise DataError(
            f"has the same id as {first}",
            file=str(self.sources[at][1]),
            line=number,
            item=flat(name),
            count=count,
            at_least=not whole,
            hint="give every row an id of its own; without 'id', rows are named by file and line",
        )

    def find(self, name: str, at: int, number: int) -> str | None:
        """The position of the earlier item with that id; reads the files again, only to report an error."""
        for here, (form, path) in enumerate(self.sources[: at + 1]):
            for line, item in form.read(path, self.limits):
                if here == at and line >= number:
                    break
                replies = item.examples() if isinstance(item, Dialogue) else ()
                if item.id == name or any(reply.id == name for reply in replies):
                    return f"{path}:{line}"
        return None
