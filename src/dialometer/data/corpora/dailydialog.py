"""DailyDialog: one dialogue a line, ``__eou__`` after every utterance; labels in files beside it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import zip_longest
from pathlib import Path
from typing import Any, ClassVar

from dialometer.core.types import Dialogue, Turn
from dialometer.data.corpora.protocol import only, raw_lines
from dialometer.data.formats.detect import check_path
from dialometer.data.lines import text
from dialometer.data.row_errors import Limits, RowError, parse_rows

END = "__eou__"
TURN_LABELS = ("emotion", "act")
LABELS = (*TURN_LABELS, "topic")


@dataclass(frozen=True, slots=True)
class DailyDialog:
    """Everyday dialogues with emotion, act and topic labels where their files are there."""

    name: ClassVar[str] = "dailydialog"

    def build(self, paths: Sequence[Path], limits: Limits, counts: Counter[str]) -> Iterator[Dialogue]:
        """One Dialogue per line; emotion and act stay with the turn, topic with the dialogue."""
        file = _text_file(only(paths, "dialogues_text.txt, or dialogues_train.txt"))
        files = {label: _label_file(file, label) for label in LABELS}
        names = [label for label in LABELS if files[label] is not None]
        streams = [raw_lines(path, limits) for path in (file, *(files[label] for label in names)) if path is not None]
        split = f"dd-{file.stem.removeprefix('dialogues_')}"
        rows = ((number, row) for number, row in enumerate(zip_longest(*streams), 1))

        def make(row: tuple[tuple[int, bytes] | None, ...], number: int) -> Dialogue:
            if None in row:
                short = file if row[0] is None else files[names[row.index(None) - 1]]
                raise RowError("length", f"{short} ends before line {number}", "give files of the same split")
            first, *labels = [text(line[1]) for line in row if line is not None]
            return _dialogue(f"{split}-{number - 1}", first, dict(zip(names, labels, strict=True)), counts)

        for _, dialogue in parse_rows(rows, make, str(file)):
            yield dialogue


def _text_file(path: Path) -> Path:
    found = sorted(path.glob("dialogues_*.txt")) if path.is_dir() else [path]
    texts = [file for file in found if not any(f"_{label}" in file.name for label in LABELS)]
    return check_path(texts[0] if texts else path / "dialogues_text.txt")


def _label_file(file: Path, label: str) -> Path | None:
    """dialogues_text.txt → dialogues_act.txt, dialogues_train.txt → dialogues_act_train.txt."""
    split = file.name.removeprefix("dialogues_").removesuffix(".txt")
    other = file.with_name(f"dialogues_{label}.txt" if split == "text" else f"dialogues_{label}_{split}.txt")
    return other if other != file and other.is_file() else None


def _dialogue(name: str, line: str, labels: dict[str, str], counts: Counter[str]) -> Dialogue:
    texts = [part.strip() for part in line.strip().removesuffix(END).split(END)]
    extra: dict[str, Any] = {}
    marks: list[dict[str, Any]] = [{} for _ in texts]
    for label, given in labels.items():
        values = [int(value) if value.isdecimal() else value for value in given.split()]
        if label in TURN_LABELS and len(values) == len(texts):
            for mark, value in zip(marks, values, strict=True):
                mark[label] = value
        elif label in TURN_LABELS:  # a few lines of the published files disagree; their labels stay with the dialogue
            extra[label] = values
            counts[f"conversations whose {label} labels do not match their turns"] += 1
        else:
            extra[label] = values[0] if len(values) == 1 else values
    turns = tuple(Turn("ab"[at % 2], said, extra=mark) for at, (said, mark) in enumerate(zip(texts, marks, strict=True)))
    return Dialogue(name, "", turns, extra=extra)
