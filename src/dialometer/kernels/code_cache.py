"""Compiled kernels on disk, in a private folder and authenticated before numba may read them.

Numba stores machine code as pickles, and reading a pickle can run code. So the folder must belong to this user, no other user may
write to it, and every file begins with a keyed BLAKE2b digest of its name and content. A file without the right digest is deleted
unread, and the kernel is compiled again.
"""

from __future__ import annotations

import hmac
import logging
import os
import pickle
import secrets
import stat
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from hashlib import blake2b
from pathlib import Path
from typing import Any

from dialometer.core.cache import cache_root

KEY, SIZE = "key", 32  # the file with the secret, and the bytes of a secret and of a digest
_log = logging.getLogger(__name__)
_warned = False


class CodeCache:
    """What numba's dispatcher asks for compiled code; ``source`` identifies the sources of all kernels."""

    def __init__(self, function: Callable[..., Any], source: str) -> None:
        self.function, self.source = function, source

    @property
    def cache_path(self) -> str:
        """The folder."""
        return str(cache_root() / "kernels")

    def load_overload(self, signature: Any, target_context: Any) -> Any:
        """The compiled function of a signature, or nothing where it has to be compiled."""
        target_context.refresh()
        name = self._name(signature, target_context.codegen())
        try:
            with _private_folder(Path(self.cache_path)) as folder:
                payload = self._authentic(folder, name)
        except OSError as error:
            self._warn_unusable(error)
            return None
        if payload is None:
            return None
        from numba.core.compiler import CompileResult

        return CompileResult._rebuild(target_context, *pickle.loads(payload))

    def save_overload(self, signature: Any, result: Any) -> None:
        """Keep what was compiled."""
        if result.library.has_dynamic_globals:
            return
        from numba.core.serialize import dumps

        name = self._name(signature, result.codegen)
        payload = dumps(result._reduce())
        try:
            with _private_folder(Path(self.cache_path)) as folder:
                _write(folder, name, _digest(_key(folder), name, payload) + payload)
        except OSError as error:
            self._warn_unusable(error)

    def enable(self) -> None:
        """Required by numba's interface; this cache is always enabled."""

    def disable(self) -> None:
        """Required by numba's interface; this cache is always enabled."""

    def flush(self) -> None:
        """Required by numba's interface; a changed source has other files, so that nothing is stale."""

    def _authentic(self, folder: int, name: str) -> bytes | None:
        """What a file holds behind its digest; nothing where there is no file. One with another digest is deleted."""
        content = _read(folder, name)
        if content is None:
            return None
        payload = content[SIZE:]
        if hmac.compare_digest(content[:SIZE], _digest(_key(folder), name, payload)):
            return payload
        os.unlink(name, dir_fd=folder)
        _warn("%s/%s is damaged or was not written by this user; the kernel is compiled again", self.cache_path, name)
        return None

    def _warn_unusable(self, error: OSError) -> None:
        reason = (error.strerror or str(error)).lower()
        _warn("compiled kernels cannot be kept in %s (%s); each process compiles its own", self.cache_path, reason)

    def _name(self, signature: Any, codegen: Any) -> str:
        """A file for this function, signature, processor and version of everything that compiles it."""
        import llvmlite
        import numba

        place = (self.function.__module__, self.function.__name__, str(signature), *map(str, codegen.magic_tuple()))
        parts = (*place, self.source, numba.__version__, llvmlite.__version__, sys.version)
        return f"{self.function.__name__}-{blake2b(repr(parts).encode(), digest_size=16).hexdigest()}.code"


@contextmanager
def _private_folder(path: Path) -> Iterator[int]:
    """A descriptor of the folder, made if it is not there; OSError where it is not this user's alone."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with suppress(FileExistsError):
        path.mkdir(mode=0o700)
    folder = os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
    try:
        _check_private(os.fstat(folder))
        yield folder
    finally:
        os.close(folder)


def _check_private(found: os.stat_result) -> None:
    if found.st_uid != os.geteuid():
        raise PermissionError(0, "it belongs to another user: name a DIALOMETER_CACHE of your own")
    if stat.S_IMODE(found.st_mode) & (stat.S_IWGRP | stat.S_IWOTH):
        raise PermissionError(0, "others may write to it: rm -r it, and it is created again")


def _key(folder: int) -> bytes:
    """The secret of the folder; made at first use, and again where it is damaged."""
    for _ in range(2):
        found = _read(folder, KEY)
        if found is not None and len(found) == SIZE:
            return found
        if found is not None:
            os.unlink(KEY, dir_fd=folder)
        part = _write_part(folder, KEY, secrets.token_bytes(SIZE))
        with suppress(FileExistsError):  # another process was first: its secret counts
            os.link(part, KEY, src_dir_fd=folder, dst_dir_fd=folder)
        os.unlink(part, dir_fd=folder)
    found = _read(folder, KEY)
    if found is None or len(found) != SIZE:
        raise OSError(0, "its key cannot be written")
    return found


def _read(folder: int, name: str) -> bytes | None:
    """The content of a private file; nothing where there is none."""
    try:
        file = os.open(name, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK, dir_fd=folder)
    except FileNotFoundError:
        return None
    except OSError:  # a link, or a file that cannot be opened: nothing that was written here
        return b""
    with os.fdopen(file, "rb") as opened:
        found = os.fstat(file)
        if not stat.S_ISREG(found.st_mode) or found.st_uid != os.geteuid():
            return b""
        return opened.read()


def _write(folder: int, name: str, content: bytes) -> None:
    part = _write_part(folder, name, content)
    os.replace(part, name, src_dir_fd=folder, dst_dir_fd=folder)


def _write_part(folder: int, name: str, content: bytes) -> str:
    part = f".{name}.{secrets.token_hex(4)}"
    try:
        with os.fdopen(os.open(part, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600, dir_fd=folder), "wb") as file:
            file.write(content)
    except OSError:
        with suppress(OSError):
            os.unlink(part, dir_fd=folder)
        raise
    return part


def _digest(key: bytes, name: str, payload: bytes) -> bytes:
    return blake2b(name.encode() + b"\0" + payload, key=key, digest_size=SIZE).digest()


def _warn(message: str, *arguments: object) -> None:
    """One warning per process for any number of kernels."""
    global _warned
    if not _warned:
        _log.warning(message, *arguments)
    _warned = True
