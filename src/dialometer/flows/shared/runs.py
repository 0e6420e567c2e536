"""How every verb runs: open its run, fill it unless it is done, read it; a request that can never be met leaves no trace."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable
from contextvars import ContextVar
from dataclasses import asdict
from pathlib import Path
from typing import Any, TypeVar

import orjson

from dialometer.contracts.result import Record, decode
from dialometer.core.errors import DialometerError, RunError
from dialometer.core.protocols import Progress
from dialometer.store.runs import Run, file_hash, open_run

_log = logging.getLogger(__name__)
_INSIDE: ContextVar[bool] = ContextVar("inside another run", default=False)
R = TypeVar("R")
Result = TypeVar("Result", bound=Record)
COSTLY = ("train", "play")  # verbs whose results may have taken hours or money: a damaged run is refused, not made anew
unverified: list[str] = []  # finished runs that this process read and that have no digests of their files


def run_or_resume(
    verb: str, request: Any, identity: dict[str, Any], fill: Callable[[Run], None], read: Callable[[Run], R]
) -> R:
    """Fill the run of a request, or go on with an interrupted one, or read a finished one and say so.

    A request with ``fresh`` fills its run anew. A run inside another says nothing: that it is read again is how the outer one
    goes on.
    """
    run = open_run(verb, asdict(request), identity, folder=request.output, fresh=request.fresh)
    try:
        if run.done:
            _verify(run, verb)
        if run.done and not _INSIDE.get():
            _log.warning(
                "reprinted from %s: %s was finished then, and nothing was computed now; --fresh computes it anew",
                run.finished, run.folder,
            )  # fmt: skip
        if not run.done:
            token = _INSIDE.set(True)
            try:
                fill(run)
            finally:
                _INSIDE.reset(token)
        return read(run)
    except RunError:  # a worker died, a finished run is damaged: what is done stays
        raise
    except DialometerError:  # this can never be done as asked; the mended command must find the place free
        if not any(run.work.rglob("checkpoint*")):  # hours of training are not thrown away for what came after them
            run.discard()
        raise
    except (FileNotFoundError, NotADirectoryError) as error:
        if not str(error.filename or "").startswith(str(run.folder)):
            raise
        raise RunError(f"{error.filename} was removed while the run was going on", "the same command again") from None
    finally:
        run.close()


def _verify(run: Run, verb: str) -> None:
    """A finished run whose files are not what was written is made anew, with a warning; a costly one is refused."""
    unverified.clear()
    if "files" not in run.record:
        unverified.append(str(run.folder))
        return
    if not (lost := run.damage()):
        return
    said = f"{lost[0]} is not what was written" + (f", and {len(lost) - 1} more files" if len(lost) > 1 else "")
    if verb in COSTLY:
        raise damaged(run, said)
    _log.warning("the finished run %s is damaged (%s); it is made anew", run.folder, said)
    run.reopen()


def build_tables(metrics: Iterable[Any], progress: Progress) -> None:
    """Make what metrics keep in the cache, once, in this process and with progress; workers then find it there."""
    for metric in metrics:
        if hasattr(metric, "build"):
            metric.build(progress)


def read_results(run: Run, name: str) -> dict[str, Any]:
    """The results of a finished run, from their file."""
    try:
        return dict(orjson.loads((run.folder / name).read_bytes()))
    except (OSError, ValueError, TypeError) as error:
        raise damaged(run, error) from None


def read_result(run: Run, name: str, made: type[Result]) -> Result:
    """The typed result of a finished run, from its file; one of an earlier version is refused with the way to compute it anew."""
    try:
        return decode((run.folder / name).read_bytes(), made)
    except OSError as error:
        raise damaged(run, error) from None
    except ValueError as error:
        raise RunError(
            f"{run.folder / name} was written by another version or is damaged ({error})",
            "the same command with --fresh computes it anew",
        ) from None


def damaged(run: Run, error: object) -> RunError:
    """A finished run whose files do not say what they should."""
    return RunError(
        f"the finished run {run.folder} is damaged ({error})", f"rm -r {run.folder}, then the same command again"
    )


def hashes(paths: tuple[str, ...] | list[str], limit: int = 0) -> list[list[str]]:
    """Files by name and content, for the identity of a run; ``limit`` is for those that are read at once."""
    return [[Path(path).name, file_hash(Path(path), limit)] for path in paths]


def check_unchanged(run: Run, paths: tuple[str, ...]) -> None:
    """Refuse inputs that changed since the run was named after their content: what was read is neither the old nor the new."""
    for path, (_, digest) in zip(paths, run.record["identity"]["inputs"], strict=True):
        if file_hash(Path(path)) != digest:
            run.discard()
            raise RunError(f"{path} changed while it was read", "the same command again, once the file is at rest")
