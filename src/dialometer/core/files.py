"""Reading files that users name: regular files only, and no more of them than fits.

A FIFO blocks, a device may never end, and a file of ``/proc`` has no size: each is refused before the first byte is read. Standard
input is read where it is redirected from a file (``/dev/stdin``). A file that is read at once has a size limit.
"""

from __future__ import annotations

import gzip
import io
import os
import stat
import tomllib
import zlib
from functools import cache
from pathlib import Path
from typing import Any

from dialometer.core.errors import DataError, UsageError

MAX_LINE = 16 * 2**20  # bytes of a line that is read, unless a request says otherwise
SMALL = 16 * 2**20  # bytes: settings, plans, lists of words
LARGE = 4 * 2**30  # bytes: text to fit on, tables, models
SAVE = "write it to a file first, and name that file"
_KINDS = {
    stat.S_IFDIR: "directory",
    stat.S_IFIFO: "FIFO (a pipe)",
    stat.S_IFSOCK: "socket",
    stat.S_IFCHR: "device",
    stat.S_IFBLK: "device",
}


def special_kind(found: os.stat_result) -> str:
    """What a path is if it is not a regular file; files of ``/proc`` and ``/sys`` only look regular.

    >>> special_kind(os.stat("/dev/null")), special_kind(os.stat("/"))
    ('device', 'directory')
    """
    if not stat.S_ISREG(found.st_mode):
        return _KINDS.get(stat.S_IFMT(found.st_mode), "special file")
    return "file of the kernel" if found.st_dev in _kernel_devices() else ""


def check_regular(path: Path | str) -> None:
    """Refuse an existing path that is not a regular file; a missing one is reported by the caller that opens it."""
    try:
        kind = special_kind(os.stat(path))
    except (OSError, ValueError):
        return
    if kind:
        raise not_regular(path, kind)


def not_regular(path: Path | str, kind: str) -> DataError:
    """The refusal of an input that is not a regular file."""
    hint = f"name a file in it: ls {path}" if kind == "directory" else SAVE
    return DataError(f"is a {kind}, not a regular file", file=str(path), hint=hint)


def open_regular(path: Path | str) -> io.BufferedReader:
    """Open a regular file for reading; anything else is a DataError, and what the system refuses an OSError."""
    check_regular(path)
    # Without O_NONBLOCK, a FIFO that takes the file's place between the check and the opening would block.
    file = open(path, "rb", opener=lambda name, flags: os.open(name, flags | os.O_NONBLOCK))  # noqa: SIM115 - the caller's
    if kind := special_kind(os.fstat(file.fileno())):
        file.close()
        raise not_regular(path, kind)
    return file


def read_limited(path: Path | str, limit: int = SMALL) -> bytes:
    """The whole content of a regular file of at most ``limit`` bytes."""
    check_size(path, limit)
    with open_regular(path) as file:
        return read_at_most(file, limit, path)


def check_size(path: Path | str, limit: int) -> None:
    """Refuse a file that is too large to be read at once."""
    if os.stat(path).st_size > limit:
        raise too_large(path, limit)


def unpack_limited(raw: bytes, limit: int, path: Path | str) -> bytes:
    """The content of gzip data, at most ``limit`` bytes of it; damage is a DataError."""
    try:
        with gzip.GzipFile(fileobj=io.BytesIO(raw)) as file:
            return read_at_most(file, limit, path)
    except (gzip.BadGzipFile, EOFError, zlib.error) as error:
        raise DataError(f"its gzip is damaged ({error})", file=str(path), hint="check the file with gzip -t") from None


def read_at_most(file: io.BufferedIOBase, limit: int, path: Path | str) -> bytes:
    """What is left of a stream, refused where it is more than ``limit`` bytes."""
    data = bytearray()
    while block := file.read(min(1 << 20, limit + 1 - len(data))):
        data += block
        if len(data) > limit:
            raise too_large(path, limit)
    return bytes(data)


def read_toml(path: Path | str, hint: str) -> dict[str, Any]:
    """A TOML file; what cannot be read as one is a DataError, what the system refuses an OSError."""
    try:
        return tomllib.loads(read_limited(path).decode())
    except ValueError as error:  # TOMLDecodeError, UnicodeDecodeError, numbers of thousands of digits
        raise DataError(f"not a TOML file: {error}", file=str(path), hint=hint) from None
    except RecursionError:
        raise DataError("not a TOML file: its values are nested too deeply", file=str(path), hint=hint) from None


def too_large(path: Path | str, limit: int) -> DataError:
    """The refusal of a file that is read at once."""
    return DataError(
        f"holds more than {limit >> 20} MiB, the most that is read at once", file=str(path), hint=f"ls -l {path}"
    )


def check_output_file(path: Path | str) -> None:
    """Refuse an output file where a directory, a device or another special file stands."""
    try:
        kind = special_kind(os.stat(path))
    except (OSError, ValueError):
        return
    if kind == "directory":
        raise UsageError(f"cannot write {path}: it is a directory", f"name a file, such as {Path(path) / 'items.jsonl'}")
    if kind:
        raise UsageError(f"cannot write {path}: it is a {kind}, not a regular file", "name a new file")


@cache
def _kernel_devices() -> frozenset[int]:
    """The devices of file systems whose files are made up by the kernel when they are read."""
    found = set()
    for folder in ("/proc", "/sys"):
        if os.path.ismount(folder):
            found.add(os.stat(folder).st_dev)
    return frozenset(found)
