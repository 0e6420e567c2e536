"""The protocol of a builder: dialogues out of the raw files of a public corpus."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Protocol

from dialometer.core.errors import DataError, UsageError
from dialometer.core.registry import create
from dialometer.core.types import Dialogue
from dialometer.data.formats.detect import check_path
from dialometer.data.lines import lines, text
from dialometer.data.row_errors import Limits


class Builder(Protocol):
    """One public corpus in the form in which it is handed out."""

    def build(self, paths: Sequence[Path], limits: Limits, counts: Counter[str]) -> Iterator[Dialogue]:
        """Dialogues; ``counts`` gets the number of omissions by reason."""
        ...


def conversations(spec: str, paths: Sequence[Path], limits: Limits, counts: Counter[str]) -> Iterator[Dialogue]:
    """The dialogues that the named builder reads from these paths: at least one, with unique ids."""
    seen: set[str] = set()
    for path in paths:
        if not path.is_dir():
            check_path(path)
    for dialogue in create("builder", spec).build(paths, limits, counts):
        if dialogue.id in seen:
            raise DataError("was built twice", item=dialogue.id, hint="give every file once")
        seen.add(dialogue.id)
        yield dialogue
    if not seen:
        left = "; ".join(f"{number} {what}" for what, number in counts.items() if number) or "the files hold none"
        raise DataError(f"no dialogue could be built ({left})", file=" ".join(map(str, paths)), hint=f"head {paths[0]}")


def only(paths: Sequence[Path], wanted: str) -> Path:
    """The one path of a builder that takes one."""
    if len(paths) != 1:
        raise UsageError(f"this builder takes one path, not {len(paths)}", f"give {wanted}")
    return paths[0]


def beside(path: Path, name: str, corpus: str) -> Path:
    """A file of the corpus: inside the folder given, or beside the file given."""
    file = (path if path.is_dir() else path.parent) / name
    if not file.is_file():
        raise DataError(f"{name} is missing, which {corpus} needs", file=str(file.parent), hint=f"ls {file.parent}")
    return check_path(file)


def raw_lines(path: Path, limits: Limits) -> Iterator[tuple[int, bytes]]:
    """Lines as bytes, a line above the limit refused."""
    for number, line in lines(path, limits.max_line):
        if isinstance(line, Exception):
            text(line)
        else:
            yield number, line


def old_text(line: bytes) -> str:
    """UTF-8, or the Latin-1 of corpora older than it: every byte has a meaning there.

    >>> old_text("é".encode("latin-1")), old_text("é".encode())
    ('é', 'é')
    """
    try:
        return line.decode()
    except UnicodeDecodeError:
        return line.decode("latin-1")
