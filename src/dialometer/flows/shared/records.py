"""Records of a result from the dataclasses that statistics return."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, TypeVar

from dialometer.contracts.result import Record, number

R = TypeVar("R", bound=Record)


def to_record(type: type[R], source: object, **fields: Any) -> R:
    """A record whose fields are the attributes of the same name, unless given; NaN becomes None."""
    names = (name for name in type.__struct_fields__ if name not in fields and hasattr(source, name))
    return type(**{name: _value(getattr(source, name)) for name in names}, **fields)


def numbers(values: Iterable[float]) -> list[float | None]:
    """Numbers of a result, None where they are undefined."""
    return [number(value) for value in values]


def _value(value: Any) -> Any:
    return number(value) if isinstance(value, float) else value
