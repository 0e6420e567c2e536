"""Arrays kept on disk by content: state that may be deleted at any time (``$DIALOMETER_CACHE``).

An entry is a folder of ``.npy`` files with an index of their digests, and a digest of the index. It is written under a temporary
name and renamed, opened by memory map, and recomputed, with one warning, when it is damaged.
"""

from __future__ import annotations

import logging
import os
import shutil
from collections.abc import Callable, Mapping
from hashlib import blake2b
from pathlib import Path

import numpy as np
import orjson

from dialometer.core.atomic import save_array, write_folder

_log = logging.getLogger(__name__)
_BLOCK = 1 << 20
_INDEX = "arrays.json"
_OLD_INDEX = "index.json"
_warned: set[bool] = set()


def cache_root() -> Path:
    """``$DIALOMETER_CACHE``, else the user's cache folder."""
    root = os.environ.get("DIALOMETER_CACHE")
    return Path(root) if root else Path(os.environ.get("XDG_CACHE_HOME", "~/.cache")).expanduser() / "dialometer"


def cached(kind: str, key: str, make: Callable[[], Mapping[str, np.ndarray]]) -> dict[str, np.ndarray]:
    """The arrays of an entry, read by memory map; computed and stored if there are none."""
    folder = cache_root() / kind / key
    found = _open(folder)
    if found is None:
        made = make()
        try:
            _save(folder, made)
        except OSError as error:
            warn_unkept(folder, error)
            return dict(made)
        found = _open(folder)
        if found is None:
            return dict(made)
    return found


def warn_unkept(place: Path, error: OSError) -> None:
    """Warn that the cache cannot be written, once in a process: a full disk refuses every entry."""
    if not _warned:
        _warned.add(True)
        _log.warning("cannot keep %s in the cache (%s); going on without", place, error.strerror or error)


def is_cached(kind: str, key: str) -> bool:
    """Whether there is an entry; it is verified only when it is opened."""
    return (cache_root() / kind / key).exists()


def content_key(*parts: bytes | str | np.ndarray) -> str:
    """A name for some content: BLAKE2b over its parts and their lengths."""
    digest = blake2b(digest_size=16)
    for part in parts:
        data = part.encode() if isinstance(part, str) else part.tobytes() if isinstance(part, np.ndarray) else part
        digest.update(len(data).to_bytes(8, "little"))
        digest.update(data)
    return digest.hexdigest()


def _open(folder: Path) -> dict[str, np.ndarray] | None:
    if not folder.exists():
        return None
    if (folder / _OLD_INDEX).exists():  # of an earlier version, which had no digest of the index
        shutil.rmtree(folder, ignore_errors=True)
        return None
    try:
        index, digest = orjson.loads((folder / _INDEX).read_bytes())
        if _index_digest(index) != digest:
            raise ValueError(f"{_INDEX} is not what was written")
        for name, digest in index.items():
            if _digest(folder / f"{name}.npy") != digest:
                raise ValueError(f"{name}.npy is not what was written")
        return {name: np.load(folder / f"{name}.npy", mmap_mode="r") for name in index}
    except (OSError, ValueError, AttributeError, TypeError) as error:
        _log.warning("the cache entry %s is damaged (%s); it is computed again", folder, error)
        shutil.rmtree(folder, ignore_errors=True)
        return None


def _save(folder: Path, arrays: Mapping[str, np.ndarray]) -> None:
    def fill(part: Path) -> None:
        for name, array in arrays.items():
            save_array(part / f"{name}.npy", array)
        index = {name: _digest(part / f"{name}.npy") for name in arrays}
        (part / _INDEX).write_bytes(orjson.dumps([index, _index_digest(index)]))

    write_folder(folder, fill, durable=False, keep=True)


def _index_digest(index: Mapping[str, str]) -> str:
    return blake2b(orjson.dumps(index), digest_size=8).hexdigest()


def _digest(path: Path) -> str:
    digest = blake2b(digest_size=8)
    with path.open("rb") as file:
        while block := file.read(_BLOCK):
            digest.update(block)
    return digest.hexdigest()
