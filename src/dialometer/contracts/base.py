"""What all requests share."""

from __future__ import annotations

from dataclasses import fields
from pathlib import Path
from typing import Any

from dialometer.core.errors import UsageError
from dialometer.core.ranges import check_request


def normalise_request(request: Any) -> None:
    """Refuse numbers out of range; fields of several texts become tuples: a lone text or path is one of them."""
    check_request(request)
    for field in fields(request):
        value = getattr(request, field.name)
        if not str(field.type).startswith("tuple[str"):
            continue
        values = [value] if isinstance(value, str | Path) else list(value) if isinstance(value, list | tuple) else None
        if values is None or not all(isinstance(one, str | Path) for one in values):
            got = type(value).__name__ if values is None else f"a list with {_non_text(values)!r} in it"
            hint = f'{type(request).__name__}({field.name}=["…"])'
            raise UsageError(f"{type(request).__name__}.{field.name} is a list of texts, not {got[:80]}", hint)
        object.__setattr__(request, field.name, tuple(map(str, values)))


def _non_text(values: list[Any]) -> Any:
    return next(value for value in values if not isinstance(value, str | Path))
