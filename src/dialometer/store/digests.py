"""Digests of the files of a folder: what a finished run, or a part of one, is verified against when it is read again."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from hashlib import blake2b
from pathlib import Path

from dialometer.core.errors import DataError
from dialometer.core.files import open_regular

RECORD = "run.json"
_BLOCK = 1 << 20


def file_digests(folder: Path) -> dict[str, str]:
    """BLAKE2b by the path of each file inside; not of hidden ones, of parts in ``work``, or of runs inside this one."""
    return {str(path.relative_to(folder)): digest_of_file(path) for path in sorted(_files(folder, top=True))}


def damaged_files(folder: Path, digests: Mapping[str, str]) -> list[str]:
    """The files that are missing, cannot be read or have another digest."""
    return [name for name, digest in digests.items() if not _is_same(folder / name, digest)]


def digest_of_file(path: Path) -> str:
    """BLAKE2b of a regular file's bytes."""
    digest = blake2b(digest_size=16)
    with open_regular(path) as file:
        while block := file.read(_BLOCK):
            digest.update(block)
    return digest.hexdigest()


def _files(folder: Path, *, top: bool) -> Iterator[Path]:
    for path in folder.iterdir():
        if path.name.startswith(".") or (top and path.name in (RECORD, "work")):
            continue
        if path.is_file():
            yield path
        elif path.is_dir() and not path.is_symlink() and not (path / RECORD).exists():
            yield from _files(path, top=False)


def _is_same(path: Path, digest: str) -> bool:
    try:
        return digest_of_file(path) == digest
    except (OSError, DataError):
        return False
