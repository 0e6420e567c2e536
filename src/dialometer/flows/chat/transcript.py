"""A file of conversations that one more is kept in while it goes on: its line is replaced, every other line stays."""

from __future__ import annotations

import errno
import os
from pathlib import Path

from dialometer.core.atomic import write_bytes
from dialometer.core.errors import UsageError
from dialometer.core.files import LARGE, check_output_file, read_limited
from dialometer.core.types import Dialogue
from dialometer.data.formats.jsonl import dumped
from dialometer.data.formats.output import unwritable
from dialometer.data.rows import row_of


class Keeper:
    """The line of the present conversation in a JSONL file, whole after every turn: the file is written aside, then renamed."""

    def __init__(self, path: str) -> None:
        self.path = Path(path)
        if self.path.suffix == ".gz":
            raise UsageError("a conversation is kept as plain text, not as .gz", f"-o {path.removesuffix('.gz')}")
        check_output_file(path)
        if not os.access(self.path.parent, os.W_OK):
            raise unwritable(self.path, PermissionError(errno.EACCES, "Permission denied"))
        self._line = b""

    def keep(self, dialogue: Dialogue) -> None:
        """Put the conversation as it is now in the place of what it was; one without turns has no line."""
        line = dumped(row_of(dialogue), dialogue.id) + b"\n" if dialogue.turns else b""
        before = read_limited(self.path, LARGE) if self.path.exists() else b""
        before += b"\n" * (before[-1:] not in (b"", b"\n"))
        at = before.rfind(self._line) if self._line else -1
        whole = before + line if at < 0 else before[:at] + line + before[at + len(self._line) :]
        if whole != before:
            write_bytes(self.path, whole)
        self._line = line

    def next(self) -> None:
        """What is kept from now on is another conversation."""
        self._line = b""
