"""Ubuntu Dialogue Corpus: folders of TSV dialogues (version 1), or CSV rows of context and utterance (version 2)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

from dialometer.core.errors import DataError
from dialometer.core.types import Dialogue, Turn
from dialometer.data.corpora.protocol import raw_lines
from dialometer.data.formats.csv import records
from dialometer.data.formats.detect import check_path
from dialometer.data.lines import stem, text
from dialometer.data.row_errors import Limits, RowError, parse_rows

END_OF_UTTERANCE, END_OF_TURN = "__eou__", "__eot__"
ANSWER = ("Utterance", "Ground Truth Utterance")


@dataclass(frozen=True, slots=True)
class Ubuntu:
    """Technical help between two people."""

    name: ClassVar[str] = "ubuntu"

    def build(self, paths: Sequence[Path], limits: Limits, counts: Counter[str]) -> Iterator[Dialogue]:
        """One Dialogue per TSV file of a folder, or per true row of a CSV file."""
        for path in paths:
            if path.is_dir():
                yield from _folder(path, limits)
            elif path.name.removesuffix(".gz").endswith(".tsv"):
                yield _conversation(path, path.parent, limits)
            else:
                yield from _table(check_path(path), limits, counts)


def _folder(folder: Path, limits: Limits) -> Iterator[Dialogue]:
    # Sorted as text, so that two machines read the same folder in the same order.
    files = sorted(folder.rglob("*.tsv"), key=lambda file: file.relative_to(folder).as_posix())
    if not files:
        raise DataError("holds no .tsv files", file=str(folder), hint="give the corpus's folder dialogs, or its CSV files")
    for file in files:
        yield _conversation(file, folder, limits)


def _conversation(file: Path, folder: Path, limits: Limits) -> Dialogue:
    def make(line: bytes, number: int) -> Turn:
        # Quotes are ordinary characters in these files, and tabs may occur in the text: three cuts, no CSV rules.
        cells = text(line).removesuffix("\r").split("\t", 3)
        if len(cells) != 4:
            raise RowError("cells", f"has {len(cells)} cells, not time, from, to and text", "give the corpus as it is")
        time, speaker, to, said = cells
        return Turn(speaker, said, time=time or None, extra={"to": to} if to else {})

    name = file.relative_to(folder).as_posix().removesuffix(".tsv")
    return Dialogue(
        f"ubuntu-{name}", "", tuple(turn for _, turn in parse_rows(raw_lines(check_path(file), limits), make, str(file)))
    )


def _table(path: Path, limits: Limits, counts: Counter[str]) -> Iterator[Dialogue]:
    header: list[str] = []

    def body() -> Iterator[tuple[int, list[str] | RowError]]:
        rows = records(path, limits, ",")
        _, names = next(rows, (1, []))
        if isinstance(names, RowError) or "Context" not in names or not set(ANSWER) & set(names):
            raise RowError("header", "has no columns Context and Utterance", "give train.csv, valid.csv or test.csv")
        header.extend(names)
        yield from rows

    def make(cells: list[str] | RowError, number: int) -> Dialogue | None:
        if isinstance(cells, RowError):
            raise cells
        if len(cells) != len(header):
            raise RowError(
                "cells", f"has {len(cells)} cells where the header has {len(header)}", 'double quotes in a cell: ""'
            )
        return _row(dict(zip(header, cells, strict=True)), f"ubuntu-{stem(path)}-{number}", counts)

    for _, dialogue in parse_rows(body(), make, str(path)):
        if dialogue is not None:
            yield dialogue


def _row(row: dict[str, str], name: str, counts: Counter[str]) -> Dialogue | None:
    if row.get("Label", "1").strip() not in ("1", "1.0"):
        counts["rows with a random reply (label 0) left out"] += 1
        return None
    parts = [part for part in row["Context"].split(END_OF_TURN) if part.strip()]
    parts.append(next(row[column] for column in ANSWER if column in row))
    turns = tuple(Turn("ab"[at % 2], _join(part)) for at, part in enumerate(parts))
    distractors = [_join(value) for column, value in row.items() if column.startswith("Distractor")]
    return Dialogue(name, "", turns, extra={"distractors": distractors} if distractors else {})


def _join(part: str) -> str:
    """Utterances of one turn as one text."""
    return " ".join(said.strip() for said in part.replace(END_OF_TURN, " ").split(END_OF_UTTERANCE) if said.strip())
