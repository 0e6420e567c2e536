"""Parallel text: a file of responses and files of references, one a line; ids are line numbers.

Several files of responses to the same references are several systems, named after their files.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain, zip_longest
from pathlib import Path
from typing import ClassVar

from dialometer.core.errors import DataError, UsageError
from dialometer.core.types import Dialogue, Example
from dialometer.data.fields import Row, item_of
from dialometer.data.formats.dstc10 import lost_of_dialogue
from dialometer.data.formats.jsonl import unwritable_value
from dialometer.data.formats.output import replacing_all
from dialometer.data.formats.protocol import Item
from dialometer.data.lines import lines, stem, text
from dialometer.data.row_errors import Limits, RowError, flat, parse_rows

Line = bytes | RowError | None
MARK = "\ufeff"  # at the start of a file it is taken for the mark of UTF-8


@dataclass(frozen=True, slots=True)
class Parallel:
    """Line i of every file belongs to response i."""

    references: tuple[str, ...] = ()
    pad: bool = False
    system: str = ""  # of one among several files of responses: then ids begin with it, and a group is a line number
    name: ClassVar[str] = "parallel"

    def read(self, path: Path, limits: Limits) -> Iterator[tuple[int, Item]]:
        """Examples; all files must have as many lines."""
        name, files = self.system or stem(path), (path, *map(Path, self.references))

        def make(row: tuple[Line, ...], number: int) -> Item:
            texts = [_text(line, file) for line, file in zip(row, files, strict=True)]
            if None in texts:
                raise _short(texts, files, number)
            fields: Row = {"response": texts[0], "references": texts[1:]}
            if self.system:
                fields |= {"system": self.system, "group": f"line {number}"}
            return item_of(fields, name, number, limits.allow_empty_references)

        streams = [_stream(file, limits) for file in files]
        return parse_rows(enumerate(zip_longest(*streams), 1), make, str(path))

    def write(self, items: Iterable[Item], path: Path) -> int:
        """Responses to ``path`` and reference k to ``path.ref<k>``; the first item says how many there are."""
        stream = iter(items)
        first = next(stream, None)
        width = len(first.references) if isinstance(first, Example) else 0
        written = 0
        with replacing_all([path, *(reference_file(path, k) for k in range(1, width + 1))]) as files:
            for item in chain([first] if first else [], stream):
                assert isinstance(item, Example)  # ``lost`` and ``reduce`` see to it
                if len(item.references) != width and not self.pad:
                    raise uneven(item, width)
                texts = (item.response, *item.references[:width], *[""] * (width - len(item.references)))
                for file, line in zip(files, texts, strict=True):
                    file.write(_encode(line, item.id))
                written += 1
        return written

    def lost(self, item: Item, number: int, path: Path) -> tuple[str, ...]:
        """Everything but response and references; a line break inside a text too."""
        if isinstance(item, Dialogue):
            return lost_of_dialogue(item)
        gone = [
            name
            for name in ("context", "after", "own", "system", "group", "ratings", "raters", "extra")
            if getattr(item, name)
        ]
        if item.id != f"{stem(path)}:{number}":
            gone.insert(0, "id")
        if any("\n" in line or line.endswith("\r") for line in (item.response, *item.references)):
            gone.append("line breaks")
        if number == 1 and any(line.startswith(MARK) for line in (item.response, *item.references)):
            gone.append("a byte order mark")
        return tuple(gone)

    def reduce(self, item: Item) -> Iterable[Item]:
        """Responses of a dialogue; line breaks become spaces when written."""
        return item.examples() if isinstance(item, Dialogue) else (item,)


def name_systems(files: Sequence[Path]) -> list[str]:
    """A name for each file of responses: its stem, or where two share it the path as it was given.

    >>> name_systems([Path("a.txt"), Path("x/out.txt"), Path("y/out.txt")])
    ['a', 'x/out.txt', 'y/out.txt']
    """
    if twice := [file for file in files if files.count(file) > 1]:
        raise UsageError(f"the file of responses {twice[0]} is given twice", "name each once")
    stems = [stem(file) for file in files]
    return [name if stems.count(name) == 1 else str(file) for name, file in zip(stems, files, strict=True)]


def reference_file(path: Path, k: int) -> Path:
    """Where reference k is written.

    >>> reference_file(Path("out/hyp.txt"), 1).name
    'hyp.txt.ref1'
    """
    return path.with_name(f"{path.name}.ref{k}")


def _stream(file: Path, limits: Limits) -> Iterator[Line]:
    try:
        for _, line in lines(file, limits.max_line, blank=True):
            yield line
    except RowError as flaw:
        raise RowError(flaw.kind, f"{file}: {flaw.what}", flaw.hint) from None


def _text(line: Line, file: Path) -> str | None:
    try:
        return None if line is None else text(line).removesuffix("\r")
    except RowError as flaw:
        raise RowError(flaw.kind, f"the line of {file} {flaw.what}", flaw.hint) from None


def _short(texts: list[str | None], files: tuple[Path, ...], number: int) -> RowError:
    short = files[texts.index(None)]
    longer = files[next(at for at, line in enumerate(texts) if line is not None)]
    what = f"{short} ends before line {number}, which {longer} still has"
    return RowError("length", what, f"every file needs one line per response; compare: wc -l {' '.join(map(str, files))}")


def _encode(line: str, name: str) -> bytes:
    try:
        return line.replace("\n", " ").rstrip("\r").encode() + b"\n"
    except UnicodeEncodeError as error:
        raise unwritable_value(name, error) from None


def uneven(item: Example, width: int) -> DataError:
    """Items with different numbers of references have no parallel files."""
    what = f"has {len(item.references)} references where the first item has {width}"
    return DataError(what, item=flat(item.id), hint="--lossy cuts or pads them, --to jsonl keeps them")
