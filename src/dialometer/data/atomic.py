"""Writing a file whole or not at all: a temporary name beside it, then one rename."""

from __future__ import annotations

import contextlib
import gzip
import os
import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO, cast

from dialometer.errors import UsageError


@contextmanager
def replacing(path: Path) -> Iterator[BinaryIO]:
    """A stream that becomes ``path`` when the block ends well; a name ending in .gz is packed."""
    with replacing_all([path]) as streams:
        yield streams[0]


@contextmanager
def replacing_all(paths: list[Path]) -> Iterator[list[BinaryIO]]:
    """Several files that appear together or not at all."""
    parts = [path.with_name(f".{path.name}.{secrets.token_hex(4)}.part") for path in paths]
    try:
        with contextlib.ExitStack() as stack:
            yield [_open(part, path, stack) for part, path in zip(parts, paths, strict=True)]
        for part, path in zip(parts, paths, strict=True):
            os.replace(part, path)
    except OSError as error:
        raise unwritable(paths[0], error) from None
    finally:
        for part in parts:
            with contextlib.suppress(OSError):
                part.unlink()


def _open(part: Path, path: Path, stack: contextlib.ExitStack) -> BinaryIO:
    raw: BinaryIO = stack.enter_context(part.open("xb"))
    if path.suffix != ".gz":
        return raw
    # No name and no time inside, so that equal items give equal bytes.
    return cast(BinaryIO, stack.enter_context(gzip.GzipFile("", "wb", 6, raw, mtime=0)))


def unwritable(path: Path, error: OSError) -> UsageError:
    """An output that the system refuses."""
    reason = (error.strerror or str(error)).lower()
    hint = f"ls -ld {path.parent}"
    if path.is_dir():
        reason, hint = "it is a directory", f"name a file, such as {path / 'items.jsonl'}"
    elif not path.parent.exists():
        reason, hint = "its folder does not exist", f"mkdir -p {path.parent}"
    return UsageError(f"cannot write {path}: {reason}", hint)
