"""Files and folders that appear whole or not at all: written under a temporary name, then renamed.

The temporary name is removed however writing ends; if a signal interrupts even that, when the process exits. A killed process
cannot remove its own, so it holds a lock on it while it lives: the next process that writes into the same folder removes those that
are not locked.

What is written is on the disk (fsync) before it gets its name, so that a power cut leaves the old content or the new one; only the
cache, which checks what it reads, goes without (``durable=False``).
"""

from __future__ import annotations

import atexit
import fcntl
import os
import re
import secrets
import shutil
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import BinaryIO

import numpy as np
import orjson

NAME = 100  # bytes of the final name that the temporary one repeats: names may have 255 in all
_PART = re.compile(r"\..+\.[0-9a-f]{16}\.part", re.DOTALL)
_swept: set[str] = set()
_pending: set[Path] = set()  # temporary names of this process that are not removed yet


@contextmanager
def replacing(*paths: Path, durable: bool = True) -> Iterator[list[BinaryIO]]:
    """Streams that become ``paths``, all of them, when the block ends well; an OSError names the path that it is about."""
    parts: list[Path] = []
    try:
        with ExitStack() as stack:
            files = []
            for path in paths:
                part, file = _new_file(path)
                parts.append(part)
                stack.callback(_close, file)
                files.append(file)
            yield files
            for path, file in zip(paths, files, strict=True):
                _flush(file, path, durable)
            for part, path in zip(parts, paths, strict=True):
                os.replace(part, path)
    except OSError as error:
        raise _with_user_path(error, paths, parts) from None
    finally:
        for part in parts:
            _discard(part)


def write_bytes(path: Path, data: bytes, *, durable: bool = True) -> None:
    """Replace a file's content."""
    with replacing(path, durable=durable) as (file,):
        file.write(data)


def write_json(path: Path, value: object) -> None:
    """A JSON file, indented, keys in the order given; NaN becomes null."""
    write_bytes(
        path, orjson.dumps(value, option=orjson.OPT_INDENT_2 | orjson.OPT_APPEND_NEWLINE | orjson.OPT_SERIALIZE_NUMPY)
    )


def write_folder(path: Path, fill: Callable[[Path], object], *, durable: bool = True, keep: bool = False) -> None:
    """A folder that ``fill`` fills; one that is there before is replaced, or with ``keep`` left as it is."""
    path.parent.mkdir(parents=True, exist_ok=True)
    part, lock = _new_folder(path)
    try:
        fill(part)
        if durable:
            for file in sorted(part.rglob("*")):
                if file.is_file():
                    _sync(file)
        if path.exists() and not keep:
            shutil.rmtree(path)
        try:
            part.rename(path)
        except OSError:
            if not (keep and path.exists()):  # else another process was first
                raise
    except OSError as error:
        raise _with_user_path(error, (path,), [part]) from None
    finally:
        os.close(lock)
        _discard(part)


def save_array(path: Path, array: np.ndarray) -> None:
    """A ``.npy`` file inside a folder that is being filled."""
    with path.open("wb") as file:
        _save_npy(file, array)


class _Plain:
    """A stream that hides its file from numpy, which would write to it from C, where a full disk gives no errno."""

    def __init__(self, file: BinaryIO) -> None:
        self.write = file.write


def _save_npy(file: BinaryIO, array: np.ndarray) -> None:
    np.save(_Plain(file), np.asanyarray(array))


def _new_file(path: Path) -> tuple[Path, BinaryIO]:
    """A new temporary file beside ``path``, locked."""
    _sweep(path.parent)
    while True:
        part = _part_name(path)
        try:
            file: BinaryIO = part.open("xb")
        except OSError as error:
            raise _with_user_path(error, (path,), [part]) from None
        if _try_lock(file.fileno(), part):
            return part, file
        file.close()


def _new_folder(path: Path) -> tuple[Path, int]:
    """A new temporary folder beside ``path``, and its lock."""
    _sweep(path.parent)
    while True:
        part = _part_name(path)
        try:
            part.mkdir()
        except OSError as error:
            raise _with_user_path(error, (path,), [part]) from None
        with suppress(FileNotFoundError):
            lock = os.open(part, os.O_RDONLY)
            if _try_lock(lock, part):
                return part, lock
            os.close(lock)


def _part_name(path: Path) -> Path:
    start = path.name.encode("utf-8", "surrogateescape")[:NAME].decode("utf-8", "ignore")
    part = path.with_name(f".{start}.{secrets.token_hex(8)}.part").absolute()
    _pending.add(part)
    return part


def _discard(part: Path) -> None:
    if part.is_dir() and not part.is_symlink():
        shutil.rmtree(part, ignore_errors=True)
    else:
        part.unlink(missing_ok=True)
    _pending.discard(part)


@atexit.register
def _discard_pending() -> None:
    """Remove what an exception left between the creation of a temporary name and the block that removes it."""
    for part in list(_pending):
        with suppress(OSError):
            _discard(part)


def _try_lock(descriptor: int, part: Path) -> bool:
    """Lock what was just made; False where another process swept it away first."""
    with suppress(OSError):  # a file system without locks: no process can sweep there either
        fcntl.flock(descriptor, fcntl.LOCK_EX)
    try:
        return os.path.samestat(os.fstat(descriptor), os.stat(part))
    except FileNotFoundError:
        return False


def _sweep(folder: Path) -> None:
    """Remove what killed processes left in a folder; once in a process, since listing takes long in a large one."""
    name = os.path.abspath(folder)
    if name in _swept:
        return
    _swept.add(name)
    with suppress(OSError):
        for entry in list(os.scandir(folder)):
            if _PART.fullmatch(entry.name) and (
                entry.is_file(follow_symlinks=False) or entry.is_dir(follow_symlinks=False)
            ):
                _remove_unlocked(Path(entry.path))


def _remove_unlocked(part: Path) -> None:
    with suppress(OSError):
        lock = os.open(part, os.O_RDONLY | os.O_NONBLOCK | os.O_NOFOLLOW)
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            if part.is_dir():
                shutil.rmtree(part, ignore_errors=True)
            else:
                part.unlink()
        finally:
            os.close(lock)


def _flush(file: BinaryIO, path: Path, durable: bool) -> None:
    try:
        file.flush()
        if durable:
            os.fsync(file.fileno())
    except OSError as error:
        raise _with_user_path(error, (path,), []) from None


def _sync(path: Path) -> None:
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _close(file: BinaryIO) -> None:
    """Close a stream; what it cannot flush any more has been reported by then, or is being given up."""
    with suppress(OSError):
        file.close()


def _with_user_path(error: OSError, paths: tuple[Path, ...], parts: list[Path]) -> OSError:
    """The error with the path that the user gave instead of the temporary one; a failed write has no path at all."""
    if error.errno is None:
        return error
    for path, part in zip(paths, parts, strict=False):
        if error.filename is not None and str(error.filename).startswith(str(part)):
            return OSError(error.errno, error.strerror, str(path))
    return error if error.filename is not None else OSError(error.errno, error.strerror, str(paths[0]))
