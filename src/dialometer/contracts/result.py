"""Results of commands: frozen, typed, and the promise of ``--json`` at once.

A result is a tree of ``Record``s. Each field has a type and, by ``Annotated[…, doc("…")]``, one line of documentation, which the
published JSON Schema repeats. Numbers that are not defined are ``None`` and ``null``: ``number`` turns NaN into that.

>>> class Coefficient(Record):
...     '''A correlation.'''
...     r: Annotated[float | None, doc("the coefficient")]
>>> encode(Coefficient(r=number(float("nan"))))
b'{"r":null}'
>>> decode(b'{"r":0.5}', Coefficient)
Coefficient(r=0.5)
"""

from __future__ import annotations

import math
from typing import Annotated, Any, TypeVar

import msgspec

T = TypeVar("T", bound="Record")
__all__ = ["Annotated", "Record", "decode", "doc", "encode", "number", "plain"]


class Record(msgspec.Struct, frozen=True, kw_only=True):
    """A row, or a whole result."""

    def to_json(self) -> dict[str, Any]:
        """The promised form, as plain values."""
        return dict(plain(self))


def doc(text: str) -> msgspec.Meta:
    """One line about a field, for readers and for the JSON Schema."""
    return msgspec.Meta(description=text)


def number(value: float | None) -> float | None:
    """A number of a result: None if it is undefined.

    >>> number(2), number(float("inf")), number(None)
    (2.0, inf, None)
    """
    return None if value is None or math.isnan(value) else float(value)


def plain(value: object) -> Any:
    """Records as dictionaries, tuples as lists, keys as JSON has them."""
    return msgspec.to_builtins(value, enc_hook=_numpy)


def encode(result: Record, *, indent: bool = False) -> bytes:
    """JSON; NaN and infinite numbers become null."""
    data = msgspec.json.encode(result, enc_hook=_numpy)
    return msgspec.json.format(data, indent=2) + b"\n" if indent else data


def decode(data: bytes, type: type[T]) -> T:
    """A result from JSON; a ValueError that names the field if it is not of this type."""
    try:
        return msgspec.json.decode(data, type=type)
    except msgspec.MsgspecError as error:
        raise ValueError(str(error)) from None


def _numpy(value: Any) -> Any:
    """Scalars and arrays of NumPy, which need not be loaded for this."""
    if hasattr(value, "tolist"):
        return value.tolist()
    raise TypeError(f"{type(value).__name__} has no JSON form")
