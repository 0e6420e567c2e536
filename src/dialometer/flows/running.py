"""How every verb runs: open its run, fill it unless it is done, read it; a request that can never be met leaves no trace."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict, fields
from pathlib import Path
from typing import Any, TypeVar

import orjson

from dialometer.errors import DialometerError, RunError, UsageError
from dialometer.store.runs import Run, file_hash, open_run

R = TypeVar("R")
MOST = 1_000_000  # draws that anybody needs


def tidy(request: Any) -> None:
    """A lone text where a request wants several is one of them: from Python it is easily forgotten."""
    for field in fields(request):
        if str(field.type).startswith("tuple") and isinstance(getattr(request, field.name), str):
            object.__setattr__(request, field.name, (getattr(request, field.name),))


def carry_out(
    verb: str, request: Any, identity: dict[str, Any], fill: Callable[[Run], None], read: Callable[[Run], R]
) -> R:
    """Fill the run of a request, or go on with an interrupted one, or read a finished one."""
    run = open_run(verb, asdict(request), identity, folder=request.output)
    try:
        if not run.done:
            fill(run)
        return read(run)
    except RunError:  # a worker died, a finished run is damaged: what is done stays
        raise
    except DialometerError:  # this can never be done as asked; the mended command must find the place free
        if not any(run.work.rglob("checkpoint*")):  # hours of training are not thrown away for what came after them
            run.discard()
        raise
    finally:
        run.close()


def read_results(run: Run, name: str) -> dict[str, Any]:
    """The results of a finished run, from their file."""
    try:
        return dict(orjson.loads((run.folder / name).read_bytes()))
    except (OSError, ValueError, TypeError) as error:
        raise damaged(run, error) from None


def damaged(run: Run, error: Exception) -> RunError:
    """A finished run whose files do not say what they should."""
    return RunError(
        f"the finished run {run.folder} is damaged ({error})", f"rm -r {run.folder}, then the same command again"
    )


def hashes(paths: tuple[str, ...] | list[str]) -> list[list[str]]:
    """Files by name and content, for the identity of a run."""
    return [[Path(path).name, file_hash(Path(path))] for path in paths]


def check_unchanged(run: Run, paths: tuple[str, ...]) -> None:
    """Refuse inputs that changed since the run was named after their content: what was read is neither the old nor the new."""
    for path, (_, digest) in zip(paths, run.record["identity"]["inputs"], strict=True):
        if file_hash(Path(path)) != digest:
            run.discard()
            raise RunError(f"{path} changed while it was read", "the same command again, once the file is at rest")


def check_draws(seed: int, **counts: int) -> None:
    """A seed that fits, and numbers of draws that end."""
    for name, count in counts.items():
        if not 0 <= count <= MOST:
            raise UsageError(f"--{name} is 0 to a million, not {count}", "leave it out for 1000")
    if not -(2**63) <= seed < 2**63:
        raise UsageError("--seed has more than 64 bits", "--seed 0")
