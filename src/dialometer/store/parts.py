"""Parts of an unfinished run: arrays and folders with checksums, so that a resumed run can recognise complete ones.

A part that is damaged is deleted with a warning and made again; one that is missing is made again.
"""

from __future__ import annotations

import io
import logging
import shutil
from collections.abc import Callable
from hashlib import blake2b
from pathlib import Path

import numpy as np
import orjson

from dialometer.core.atomic import write_bytes, write_folder
from dialometer.core.errors import RunError
from dialometer.store.digests import damaged_files, file_digests

DIGESTS = "digests.json"  # in a folder
SIZE = 16  # bytes of the digest behind an array; numpy does not read what follows the numbers
_log = logging.getLogger(__name__)


def write_part(path: Path, array: np.ndarray) -> None:
    """An array as a ``.npy`` file with a digest behind it."""
    made = io.BytesIO()
    np.save(made, array)
    write_bytes(path, made.getvalue() + _digest(made.getvalue()))


def read_part(path: Path) -> np.ndarray:
    """The array of a file, by memory map; refused where it was removed or damaged since it was looked at."""
    try:
        found: np.ndarray = np.load(path, mmap_mode="r")
    except (OSError, ValueError, EOFError) as error:
        raise RunError(
            f"{path} was removed or damaged while the run was going on ({error})", "the same command again"
        ) from None
    return found


def is_whole(path: Path) -> bool:
    """Whether a file of ``write_part`` is there and as it was written."""
    if not path.is_file():
        _remove(path)
        return False
    content = path.read_bytes()
    return content[-SIZE:] == _digest(content[:-SIZE]) or _give_up(path)


def write_part_folder(path: Path, fill: Callable[[Path], object]) -> None:
    """A folder that ``fill`` fills, with the digests of its files."""

    def fill_and_seal(folder: Path) -> None:
        fill(folder)
        write_bytes(folder / DIGESTS, orjson.dumps(file_digests(folder)))

    write_folder(path, fill_and_seal)


def is_whole_folder(path: Path) -> bool:
    """Whether a folder of ``write_part_folder`` is there and as it was written."""
    if not path.is_dir():
        _remove(path)
        return False
    try:
        return not damaged_files(path, orjson.loads((path / DIGESTS).read_bytes())) or _give_up(path)
    except (OSError, ValueError, AttributeError):
        return _give_up(path)


def _give_up(path: Path) -> bool:
    _log.warning("%s of the interrupted run is damaged; it is made again", path)
    _remove(path)
    return False


def _remove(path: Path) -> None:
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path)
    else:
        path.unlink(missing_ok=True)


def _digest(content: bytes) -> bytes:
    return blake2b(content, digest_size=SIZE).digest()
