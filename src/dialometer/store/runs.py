"""Run directories: state you would cry over.

A run is named after a hash of all that can change its numbers, so repeating a command resumes or reprints it. ``run.json`` says
what was asked; the folder is locked while somebody writes, and a dead owner's lock is free again.
"""

from __future__ import annotations

import fcntl
import os
import shutil
from contextlib import suppress
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
    made: tuple[Path, ...] = ()  # folders that came with this run, the innermost first

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
        """Drop what kills left half-written, mark the results complete, then drop the parts."""
        for part in self.folder.glob(".*.*"):
            if part.is_dir():
                shutil.rmtree(part, ignore_errors=True)
            else:
                part.unlink(missing_ok=True)
        self.record["status"] = "done"
        write_json(self.folder / "run.json", self.record)
        shutil.rmtree(self.folder / "work", ignore_errors=True)

    def discard(self) -> None:
        """Take back a run that can never be finished: what it wrote, and the folders made for it if nothing else is there."""
        shutil.rmtree(self.folder / "work", ignore_errors=True)
        for child in self.folder.iterdir():
            if _is_ours(child.name) or child.name == "run.json":
                child.unlink(missing_ok=True)
        _remove_empty(self.made)

    def close(self) -> None:
        """Let others in."""
        self.lock.close()


def open_run(verb: str, request: dict[str, Any], identity: dict[str, Any], *, folder: str = "") -> Run:
    """Open the run of a request: new, resumed, or done; ``identity`` is what can change a number."""
    key = blake2b(orjson.dumps(identity, option=orjson.OPT_SORT_KEYS), digest_size=6).hexdigest()
    path = Path(folder) if folder else Path("runs") / f"{verb}-{key}"
    lock, made = _enter(path)
    try:
        record = _read(path)
        if record and record["id"] != f"{verb}-{key}":
            raise RunError(
                f"{path} holds another run ({record['id']}); its inputs or options were different",
                "name another with -o DIR",
            )
        if not record:
            record = {"id": f"{verb}-{key}", "status": "running", "request": request, "identity": identity, "parents": []}
            write_json(path / "run.json", record)
        elif record["status"] == "done":
            shutil.rmtree(path / "work", ignore_errors=True)
    except BaseException:
        lock.close()
        raise
    # A folder that we named is ours, whoever made it; one that the user named is ours only if it was not there.
    return Run(path, record, lock, made or (() if folder else (path,)))


def _enter(path: Path) -> tuple[IO[str], tuple[Path, ...]]:
    """The locked lock of a run directory, and the folders made on the way; nothing is put into a folder of other things."""
    made: tuple[Path, ...] = ()
    try:
        made = tuple(folder for folder in (path, *path.parents) if not folder.exists())
        while True:
            path.mkdir(parents=True, exist_ok=True)
            inside = [child.name for child in path.iterdir()]
            if "run.json" not in inside and not all(map(_is_ours, inside)):
                raise RunError(f"{path} is not empty and holds no run", "name an empty or new directory with -o DIR")
            lock = (path / ".lock").open("a+")
            _take(lock, path)
            with suppress(FileNotFoundError):
                if os.path.samestat(os.fstat(lock.fileno()), (path / ".lock").stat()):
                    return lock, made
            lock.close()  # its owner gave the run up, and took the lock away, between our opening and our taking it
    except (OSError, ValueError) as error:
        _remove_empty(made)
        reason = (getattr(error, "strerror", None) or str(error)).lower()
        raise UsageError(f"cannot write the run directory {path}: {reason}", "name another with -o DIR") from None


def _is_ours(name: str) -> bool:
    """Whether a run that was killed at its very start may have left this."""
    return name == ".lock" or name.startswith(".run.json.")


def _remove_empty(folders: tuple[Path, ...]) -> None:
    for folder in folders:
        with suppress(OSError, ValueError):
            folder.rmdir()


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
        if not isinstance(record, dict) or not {"id", "status", "identity"} <= record.keys():
            raise ValueError("it is not the record of a run")
    except FileNotFoundError:
        return {}
    except (OSError, ValueError) as error:
        raise RunError(
            f"{path / 'run.json'} cannot be read ({error})", f"rm -r {path}, then the same command again"
        ) from None
    return record


def move_into(made: Path, folder: Path) -> None:
    """Results into their place, one rename each; what a kill left there of an earlier try gives way."""
    for path in sorted(made.iterdir()):
        target = folder / path.name
        if target.is_dir():
            shutil.rmtree(target)
        path.replace(target)


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
