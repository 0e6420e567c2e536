"""list: what there is of a kind, and the options of each."""

from __future__ import annotations

import dataclasses
from typing import Any

import msgspec

from dialometer.contracts.list import ListRow
from dialometer.core.catalog import CATALOG
from dialometer.core.errors import UnknownName
from dialometer.core.ranges import numbers_of
from dialometer.core.registry import find, names

NEEDS = ("context", "reference")


def kinds() -> list[str]:
    """What can be listed, in the plural."""
    return [f"{kind}s" for kind in CATALOG]


def listing(kind: str, *, without: str = "") -> list[ListRow]:
    """Every entry of a kind (``metrics`` …); metrics may be narrowed to those that do ``without`` something."""
    if kind not in kinds():
        near = next((one for one in kinds() if one.startswith(kind)), kinds()[0])
        raise UnknownName("kind of thing", kind, kinds(), hint=f"dialometer list {near}")
    rows = [describe(kind[:-1], name) for name in names(kind[:-1])]
    if without and without not in NEEDS:
        raise UnknownName("need", without, NEEDS, hint="dialometer list metrics --without reference")
    return [row for row in rows if without not in (row.needs or ())] if without else rows


def describe(kind: str, name: str) -> ListRow:
    """One entry: its first line of documentation, options with their defaults, and what a metric declares."""
    factory = find(kind, name)
    row = ListRow(name=name, about=_first_line(factory))
    if dataclasses.is_dataclass(factory):
        options = {f.name: _default(f) for f in dataclasses.fields(factory) if f.repr and f.init}
        ranges = {option: str(number.range) for option, number in numbers_of(factory).items()}
        row = msgspec.structs.replace(row, options=options, ranges=ranges)
    if kind in ("metric", "judge"):
        metric: Any = factory()
        row = msgspec.structs.replace(
            row,
            columns=list(metric.columns),
            needs=sorted(metric.needs),
            variants=list(getattr(factory, "variants", ())),
        )
    return row


def _first_line(factory: Any) -> str:
    import inspect

    module = inspect.getmodule(factory)
    text = (module.__doc__ if module and module.__doc__ else factory.__doc__) or ""
    line = " ".join(text.strip().split("\n\n")[0].split())
    return line.split(": ", 1)[1] if line.startswith("``") and ": " in line else line


def _default(field: dataclasses.Field[Any]) -> Any:
    return None if field.default is dataclasses.MISSING else field.default
