"""Output files of the formats: they are written completely or not at all, packed where the name ends in .gz."""

from __future__ import annotations

import errno
import gzip
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import BinaryIO, cast

from dialometer.core import atomic
from dialometer.core.errors import UsageError
from dialometer.core.files import check_output_file

# Errors that say that a path was named badly; others, such as a full disk, say that a good one cannot be written now.
BAD_PATH = {errno.EISDIR, errno.ENOTDIR, errno.ENOENT, errno.EACCES, errno.EPERM, errno.EROFS, errno.ENAMETOOLONG}


@contextmanager
def replacing(path: Path) -> Iterator[BinaryIO]:
    """A stream that becomes ``path`` when the block ends well."""
    with replacing_all([path]) as streams:
        yield streams[0]


@contextmanager
def replacing_all(paths: list[Path]) -> Iterator[list[BinaryIO]]:
    """Several files that appear together or not at all."""
    for path in paths:
        check_output_file(path)
    try:
        with atomic.replacing(*paths) as files, ExitStack() as stack:
            yield [_gzip_stream(file, path, stack) for file, path in zip(files, paths, strict=True)]
    except OSError as error:
        raise unwritable(paths[0], error) from None


def _gzip_stream(file: BinaryIO, path: Path, stack: ExitStack) -> BinaryIO:
    if path.suffix != ".gz":
        return file
    # No name and no time inside, so that equal items give equal bytes.
    return cast(BinaryIO, stack.enter_context(gzip.GzipFile("", "wb", 6, file, mtime=0)))


def unwritable(path: Path, error: OSError) -> OSError | UsageError:
    """The error of an output that the system refuses: a UsageError where another name would help."""
    hint = f"ls -ld {path.parent}"
    if not path.parent.exists():
        reason, hint = "its folder does not exist", f"mkdir -p {path.parent}"
    elif error.errno in BAD_PATH:
        reason = (error.strerror or str(error)).lower()
    else:
        return error
    return UsageError(f"cannot write {path}: {reason}", hint)
