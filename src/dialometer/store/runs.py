"""Run directories: the durable state of a run.

A run is named after a hash of all that can change its numbers, so repeating a command resumes or reprints it. ``run.json`` says
what was asked; the folder is locked while a process writes, and the lock of a dead process is released. A finished run that is
computed again is set aside until the new one is finished, and restored if that one is refused.
"""

from __future__ import annotations

import fcntl
import os
import shutil
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from hashlib import blake2b
from pathlib import Path
from typing import IO, Any

import orjson

from dialometer.core.atomic import write_json
from dialometer.core.errors import DataError, RunError, UsageError
from dialometer.core.files import LARGE, check_size, read_limited
from dialometer.store.digests import damaged_files, digest_of_file, file_digests


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
        """Drop what kills left half-written, mark the results complete with their digests, then drop the parts."""
        for part in self.folder.glob(".*.*"):
            if part.is_dir():
                shutil.rmtree(part, ignore_errors=True)
            else:
                part.unlink(missing_ok=True)
        finished = datetime.now(UTC).isoformat(timespec="seconds")
        self.record.update(status="done", finished=finished, files=file_digests(self.folder))
        write_json(self.folder / "run.json", self.record)
        shutil.rmtree(self.folder / "work", ignore_errors=True)
        _remove_replaced(self.folder, self.record["id"])

    def damage(self) -> list[str]:
        """The result files that are not what was written; none are known of a run that was finished before there were digests."""
        return damaged_files(self.folder, self.record.get("files", {}))

    def reopen(self) -> None:
        """Take back that the run is finished, and the results that are damaged."""
        for name in self.damage():
            path = self.folder / name
            if path.is_dir() and not path.is_symlink():
                shutil.rmtree(path)
            else:
                path.unlink(missing_ok=True)
        self.record["status"] = "running"
        self.record.pop("files", None)
        write_json(self.folder / "run.json", self.record)

    def discard(self) -> None:
        """Take back a run that can never be finished: what it wrote, and the folders made for it if nothing else is there."""
        shutil.rmtree(self.folder / "work", ignore_errors=True)
        for child in self.folder.iterdir():
            if _is_ours(child.name) or child.name == "run.json":
                child.unlink(missing_ok=True)
        _remove_empty(self.made)
        aside = replaced_folder(self.folder)
        if not self.folder.exists() and _holds(aside, self.record["id"]):
            aside.rename(self.folder)

    @property
    def finished(self) -> str:
        """When the results were complete."""
        told = self.record.get("finished")
        changed = datetime.fromtimestamp((self.folder / "run.json").stat().st_mtime, UTC)  # of runs that did not keep it
        return str(told or changed.isoformat(timespec="seconds"))

    def close(self) -> None:
        """Release the lock."""
        self.lock.close()


def open_run(verb: str, request: dict[str, Any], identity: dict[str, Any], *, folder: str = "", fresh: bool = False) -> Run:
    """Open the run of a request: new, resumed, or done; ``identity`` is what can change a number, ``fresh`` starts over."""
    key = blake2b(orjson.dumps(identity, option=orjson.OPT_SORT_KEYS), digest_size=6).hexdigest()
    path = Path(folder) if folder else Path("runs") / f"{verb}-{key}"
    if fresh:
        _set_aside(path, f"{verb}-{key}")
    lock, made = _enter(path)
    try:
        record = _read(path)
        if record and record["id"] != f"{verb}-{key}":
            raise RunError(
                f"{path} holds another run ({record['id']}); its inputs or options were different",
                "name another with -o DIR",
            )
        if record and record["identity"] != orjson.loads(orjson.dumps(identity)):
            raise _unreadable(path, "its identity is not that of its id")
        if not record:
            record = {"id": f"{verb}-{key}", "status": "running", "request": request, "identity": identity, "parents": []}
            write_json(path / "run.json", record)
        elif record["status"] == "done":
            shutil.rmtree(path / "work", ignore_errors=True)
            _remove_replaced(path, record["id"])
    except BaseException:
        lock.close()
        raise
    # A folder with a generated name belongs to the run; one that the user named does only if it did not exist.
    return Run(path, record, lock, made or (() if folder else (path,)))


def replaced_folder(path: Path) -> Path:
    """Where a finished run is kept while it is computed again."""
    path = path.resolve()
    return path.with_name(f".{path.name}.replaced")


def _set_aside(path: Path, name: str) -> None:
    """Move a finished run out of the way, or drop an unfinished one; either is one rename, whenever a kill comes."""
    if not (path / "run.json").exists():
        return
    if Path.cwd().is_relative_to(path.resolve()):
        raise RunError(f"{path} cannot be computed again from inside it", "cd to another folder")
    lock, _ = _enter(path)
    try:
        record = _read(path)
        if record.get("id") != name:  # another run: refused when it is opened
            return
        aside, dropped = replaced_folder(path), path.resolve().with_name(f".{path.resolve().name}.dropped")
        target = aside if record["status"] == "done" else dropped
        if target.exists() and not _holds(target, name):
            raise RunError(f"{target} is in the way, which this run did not write", f"mv {target} ELSEWHERE")
        shutil.rmtree(target, ignore_errors=True)
        path.rename(target)
        shutil.rmtree(dropped, ignore_errors=True)
    except OSError as error:
        raise RunError(f"{path} cannot be set aside ({error.strerror})", "name another with -o DIR") from None
    finally:
        lock.close()


def _holds(path: Path, name: str) -> bool:
    """Whether a folder holds the run of that name, or what is left of it."""
    try:
        return path.is_dir() and _read(path).get("id", name) == name
    except RunError:
        return False


def _remove_replaced(path: Path, name: str) -> None:
    """Drop a run that was set aside, now that the new one is complete."""
    if _holds(replaced_folder(path), name):
        shutil.rmtree(replaced_folder(path), ignore_errors=True)


def _enter(path: Path) -> tuple[IO[str], tuple[Path, ...]]:
    """The held lock of a run directory, and the folders that were created; folders with other content are refused."""
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
        record: dict[str, Any] = orjson.loads(read_limited(path / "run.json", LARGE))
        if not isinstance(record, dict) or not {"id", "status", "identity"} <= record.keys():
            raise ValueError("it is not the record of a run")
        files = record.get("files", {})
        if not isinstance(files, dict) or not all(isinstance(digest, str) for digest in files.values()):
            raise ValueError("its list of files is none")
    except FileNotFoundError:
        return {}
    except (OSError, ValueError) as error:
        raise _unreadable(path, error) from None
    return record


def _unreadable(path: Path, reason: object) -> RunError:
    return RunError(f"{path / 'run.json'} cannot be read ({reason})", f"rm -r {path}, then the same command again")


def move_into(made: Path, folder: Path) -> None:
    """Results into their place, one rename each; what a kill left there of an earlier try gives way."""
    for path in sorted(made.iterdir()):
        target = folder / path.name
        if target.is_dir():
            shutil.rmtree(target)
        path.replace(target)


def file_hash(path: Path, limit: int = 0) -> str:
    """BLAKE2b of a file's bytes; one above the limit, which no reader accepts, is refused before it is hashed."""
    try:
        if limit:
            check_size(path, limit)
        return digest_of_file(path)
    except OSError as error:
        raise DataError((error.strerror or str(error)).lower(), file=str(path), hint="check the path") from None
