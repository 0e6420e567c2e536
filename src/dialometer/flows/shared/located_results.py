"""Result files of runs: a result without the fields that say where it lies, since a folder may be moved or copied."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, TypeVar

import msgspec

from dialometer.contracts.result import Record
from dialometer.core.atomic import write_json
from dialometer.core.errors import RunError
from dialometer.flows.shared.runs import damaged
from dialometer.store.runs import Run

Result = TypeVar("Result", bound=Record)


def write_located(path: Path, result: Record, *, without: Sequence[str]) -> None:
    """The result as a file, without these fields."""
    write_json(path, {key: value for key, value in result.to_json().items() if key not in without})


def read_located(run: Run, name: str, choose: Callable[[set[str]], type[Result]], /, **fields: str) -> Result:
    """The result of a finished run with the fields that its file has not; ``choose`` gives its class by the keys of the file."""
    path = run.folder / name
    try:
        content = msgspec.json.decode(path.read_bytes(), type=dict[str, Any])
        return msgspec.convert({**content, **fields}, choose(set(content)))
    except OSError as error:
        raise damaged(run, error) from None
    except msgspec.MsgspecError as error:
        raise RunError(
            f"{path} was written by another version or is damaged ({error})",
            "the same command with --fresh computes it anew",
        ) from None
