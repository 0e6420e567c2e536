"""Cornell Movie-Dialogs: ``movie_lines.txt`` and ``movie_conversations.txt``, fields between `` +++$+++ ``."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

from dialometer.core.types import Dialogue, Turn
from dialometer.data.corpora.protocol import beside, old_text, only, raw_lines
from dialometer.data.row_errors import Limits, RowError, parse_rows

SEPARATOR = " +++$+++ "
LINE_ID = re.compile(r"L\d+")


@dataclass(frozen=True, slots=True)
class Cornell:
    """Dialogues of film characters."""

    name: ClassVar[str] = "cornell"

    def build(self, paths: Sequence[Path], limits: Limits, counts: Counter[str]) -> Iterator[Dialogue]:
        """One Dialogue each; the film is kept in ``extra``, the character's name with the turn."""
        folder = only(paths, "the folder with movie_lines.txt and movie_conversations.txt")
        spoken_file = beside(folder, "movie_lines.txt", "Cornell")
        file = beside(folder, "movie_conversations.txt", "Cornell")
        spoken = dict(turn for _, turn in parse_rows(raw_lines(spoken_file, limits), _line, str(spoken_file)))

        def make(line: bytes, number: int) -> Dialogue:
            first, second, movie, names = _split(line, 4)
            ids = LINE_ID.findall(names)
            missing = [name for name in ids if name not in spoken]
            if missing or not ids:
                what = f"names the line {missing[0]}, which {spoken_file} lacks" if missing else "names no lines"
                raise RowError("missing line", what, "unpack the corpus again: its two files belong together")
            turns = tuple(spoken[name] for name in ids)
            return Dialogue(f"cornell-{ids[0]}", "", turns, extra={"movie": movie, "characters": [first, second]})

        for _, dialogue in parse_rows(raw_lines(file, limits), make, str(file)):
            yield dialogue


def _line(line: bytes, number: int) -> tuple[str, Turn]:
    name, speaker, _, character, text = _split(line, 5)
    return name, Turn(speaker, text, extra={"character": character})


def _split(line: bytes, wanted: int) -> list[str]:
    # The last field may be empty, and then the separator has lost its closing space.
    fields = [field.strip() for field in f"{old_text(line)} ".split(SEPARATOR, wanted - 1)]
    if len(fields) != wanted:
        what = f"has {len(fields)} fields between '+++$+++', not {wanted}"
        raise RowError("fields", what, "give the files as the corpus has them")
    return fields
