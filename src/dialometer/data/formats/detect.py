"""Format detection: by content where that is conclusive, else by file name."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import orjson

from dialometer.core.errors import DataError, UsageError
from dialometer.core.files import SAVE, check_regular
from dialometer.data.field_names import known_name
from dialometer.data.formats.json_values import values
from dialometer.data.lines import blocks, head
from dialometer.data.row_errors import Limits, RowError, refusal

ENDINGS = {
    ".jsonl": "jsonl",
    ".ndjson": "jsonl",
    ".json": "jsonl",
    ".csv": "csv",
    ".tsv": "tsv",
    ".parquet": "parquet",
    ".pq": "parquet",
}


def ending(path: Path) -> str:
    """The format of a file extension, or nothing.

    >>> ending(Path("turns/fed.jsonl.gz")), ending(Path("notes.md"))
    ('jsonl', '')
    """
    return ENDINGS.get(Path(path.name.lower().removesuffix(".gz")).suffix, "")


def detect(path: Path | str) -> str:
    """The name of a file's format."""
    path = check_path(path)
    try:
        start = head(path)
        named = ending(path)
        if start[:4] == b"PAR1":
            return "parquet"
        if named in ("csv", "tsv", "parquet"):
            return named
        if start.lstrip()[:1] in (b"{", b"["):
            return _json(path, start)
    except RowError as flaw:
        raise refusal(flaw, str(path), 0) from None
    if not start.strip() and not named:
        raise DataError("is empty", file=str(path), hint=f"ls -l {path}")
    return named or _table(path, start)


def check_path(path: Path | str) -> Path:
    """A path that is a file."""
    path = Path(path)
    try:
        if path.is_dir():
            inside = sorted(entry.name for entry in path.iterdir() if ending(entry))[:1]
            hint = f"name the files in it: {path / inside[0]}" if inside else f"ls {path}"
            raise DataError("is a directory, not a regular file", file=str(path), hint=hint)
        if not path.exists():
            hint = SAVE if str(path) == "-" else f"ls {path.parent}"
            raise DataError("there is no such file", file=str(path), hint=hint)
        check_regular(path)  # a pipe cannot be read twice, and telling formats apart reads its start
    except (OSError, ValueError) as error:
        raise DataError(f"cannot be read ({error})", file=repr(str(path)), hint="check the path") from None
    return path


def _json(path: Path, start: bytes) -> str:
    """Distinguished by the fields of the first row."""
    row = _first_row(path, start)
    names = set(row) if type(row) is dict else set()
    if {"response", "dialogue_id"} <= names and "id" not in names:
        return "dstc10"
    if ("messages" in names or {"role", "content"} <= names) and not names & {"turns", "response"}:
        return "chat"
    return "jsonl"


def _first_row(path: Path, start: bytes) -> Any:
    depth = 1 if start.lstrip()[:1] == b"[" else 0
    try:
        row = orjson.loads(next(values(blocks(path), depth, Limits().max_line), b""))  # type: ignore[arg-type]
    except orjson.JSONDecodeError:
        return None
    return row[0] if type(row) is list and row else row


def _table(path: Path, start: bytes) -> str:
    """A header line with a response column, under a name that says nothing."""
    header = start.partition(b"\n")[0].decode("utf-8", "replace")
    for delimiter, name in (("\t", "tsv"), (",", "csv")):
        if {"response", "turns"} & {known_name(cell.strip().strip('"')) for cell in header.split(delimiter)}:
            return name
    hint = "name it: --from jsonl, csv, tsv, parquet, chat or dstc10; plain lines: --hyp FILE --ref FILE"
    raise UsageError(f"cannot tell the format of {path} from its name or its first line", hint)
