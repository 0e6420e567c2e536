"""Engines: apply a task to items, in this process or in several, with results in order."""

from __future__ import annotations

import re

from dialometer.core.errors import SpecError, UsageError
from dialometer.core.protocols import Engine
from dialometer.core.ranges import shown
from dialometer.core.registry import create


def engine(spec: str) -> Engine:
    """The engine of ``serial`` or ``processes:N``.

    >>> engine("processes:4").workers
    4
    """
    match = re.fullmatch(r"(\w+)(?::(\d+))?", spec)
    if not match:
        raise UsageError(f"cannot read the engine {spec!r}", "--engine serial, or --engine processes:4")
    name, number = match.groups()
    try:
        return create("engine", f"{name}(workers={number})" if number else name)
    except SpecError as error:
        raise UsageError(f"--engine {shown(spec)}: {error.message}", "--engine serial, or --engine processes:4") from None
