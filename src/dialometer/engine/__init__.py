"""Where work runs: engines map a task over items and give results in order."""

from __future__ import annotations

import re
from typing import Any

from dialometer.core.errors import SpecError, UsageError
from dialometer.core.ranges import shown
from dialometer.core.registry import create


def engine(spec: str) -> Any:
    """The engine of ``serial`` or ``processes:N``.

    >>> engine("processes:4").workers
    4
    """
    found = re.fullmatch(r"(\w+)(?::(\d+))?", spec)
    if not found:
        raise UsageError(f"cannot read the engine {spec!r}", "--engine serial, or --engine processes:4")
    name, number = found.groups()
    try:
        return create("engine", f"{name}(workers={number})" if number else name)
    except SpecError as error:
        raise UsageError(f"--engine {shown(spec)}: {error.message}", "--engine serial, or --engine processes:4") from None
