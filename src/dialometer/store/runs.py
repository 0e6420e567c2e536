"""Run directories: state you would cry over.

A run is named after a hash of all that can change its numbers, so repeating a command resumes or reprints it. ``run.json`` says
what was asked; the folder is locked while somebody writes, and a dead owner's lock is free again.
"""

from __future__ import annotations

import fcntl
import os
import shutil
from dataclasses import dataclass
from hashlib import blake2b
from pathlib import Path
from typing import IO, Any

import orjson

from dialometer.errors import DataError, RunError, UsageError
from dialometer.store.atomic import write_json

_BLOCK = 1 << 20


@dataclass(frozen=True)
class Run:
    """An open run directory, locked until ``close``."""

    folder: Path
    record: dict[str, Any]
    lock: IO[str]

    @property
    def done(self) -> bool:
        """Whether the results are complete."""
        return self.record["status"] == "done"

    @property
    def work(self) -> Path:
        """Where parts lie until the results are complete."""
        path = self.folder / "work"
        path.mkdir(exist_ok=True)
        return path

    def finish(self) -> None:
        """Mark the results complete, then drop the parts."""
        self.record["status"] = "done"
        write_json(self.folder / "run.json", self.record)
        shutil.rmtree(self.folder / "work", ignore_errors=True)

    def close(self) -> None:
        """Let others in."""
        self.lock.close()


def open_run(verb: str, request: dict[str, Any], identity: dict[str, Any], *, folder: str = "") -> Run:
    """Open the run of a request: new, resumed, or done; ``identity`` is what can change a number."""
    key = blake2b(orjson.dumps(identity, option=orjson.OPT_SORT_KEYS), digest_size=6).hexdigest()
    path = Path(folder) if folder else Path("runs") / f"{verb}-{key}"
    try:
        path.mkdir(parents=True, exist_ok=True)
        lock = (path / ".lock").open("a+")
    except OSError as error:
        reason = (error.strerror or str(error)).lower()
        raise UsageError(f"cannot write the run directory {path}: {reason}", "name another with -o DIR") from None
    _take(lock, path)
    record = _read(path)
    if record and record.get("id") != f"{verb}-{key}":
        lock.close()
        raise RunError(
            f"{path} holds another run ({record.get('id')}); its inputs or options were different",
            "name another with -o DIR",
        )
    if not record:
        if any(child.name != ".lock" for child in path.iterdir()):
            lock.close()
            raise RunError(f"{path} is not empty and holds no run", "name an empty or new directory with -o DIR")
        record = {"id": f"{verb}-{key}", "status": "running", "request": request, "identity": identity, "parents": []}
        write_json(path / "run.json", record)
    elif record["status"] == "done":
        shutil.rmtree(path / "work", ignore_errors=True)
    return Run(path, record, lock)


def _take(lock: IO[str], path: Path) -> None:
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        lock.seek(0)
        owner = lock.read().strip() or "unknown"
        lock.close()
        raise RunError(
            f"{path} is being written by process {owner}", "wait for it to end, or name another with -o DIR"
        ) from None
    lock.truncate(0)
    lock.write(str(os.getpid()))
    lock.flush()


def _read(path: Path) -> dict[str, Any]:
    try:
        record: dict[str, Any] = orjson.loads((path / "run.json").read_bytes())
    except FileNotFoundError:
        return {}
    except (OSError, ValueError) as error:
        raise RunError(
            f"{path / 'run.json'} cannot be read ({error})", f"rm -r {path}, then the same command again"
        ) from None
    return record


def file_hash(path: Path) -> str:
    """BLAKE2b of a file's bytes."""
    digest = blake2b(digest_size=16)
    try:
        with path.open("rb") as file:
            while block := file.read(_BLOCK):
                digest.update(block)
    except OSError as error:
        raise DataError((error.strerror or str(error)).lower(), file=str(path), hint="check the path") from None
    return digest.hexdigest()
