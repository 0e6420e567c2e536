"""list: what there is, and what one thing takes."""

from __future__ import annotations

import dataclasses
from typing import Any

from dialometer.core.catalog import CATALOG
from dialometer.core.errors import UnknownName
from dialometer.core.ranges import numbers_of
from dialometer.core.registry import find, names

NEEDS = ("context", "reference")


def kinds() -> list[str]:
    """What can be listed, in the plural."""
    return [f"{kind}s" for kind in CATALOG]


def listing(kind: str, *, without: str = "") -> list[dict[str, Any]]:
    """Every thing of a kind (``metrics`` …); metrics may be narrowed to those that do ``without`` something."""
    if kind not in kinds():
        near = next((one for one in kinds() if one.startswith(kind)), kinds()[0])
        raise UnknownName("kind of thing", kind, kinds(), hint=f"dialometer list {near}")
    rows = [describe(kind[:-1], name) for name in names(kind[:-1])]
    if without and without not in NEEDS:
        raise UnknownName("need", without, NEEDS, hint="dialometer list metrics --without reference")
    return [row for row in rows if without not in row.get("needs", ())] if without else rows


def describe(kind: str, name: str) -> dict[str, Any]:
    """One thing: its first line of documentation, options with their defaults, and what a metric says of itself."""
    made = find(kind, name)
    row: dict[str, Any] = {"name": name, "about": _first_line(made)}
    if dataclasses.is_dataclass(made):
        row["options"] = {f.name: _default(f) for f in dataclasses.fields(made) if f.repr and f.init}
        row["ranges"] = {option: str(number.range) for option, number in numbers_of(made).items()}
    if kind in ("metric", "judge"):
        thing = made()
        row |= {
            "columns": list(thing.columns),
            "needs": sorted(thing.needs),
            "variants": list(getattr(made, "variants", ())),
        }
    return row


def _first_line(made: Any) -> str:
    import inspect

    module = inspect.getmodule(made)
    text = (module.__doc__ if module and module.__doc__ else made.__doc__) or ""
    line = " ".join(text.strip().split("\n\n")[0].split())
    return line.split(": ", 1)[1] if line.startswith("``") and ": " in line else line


def _default(field: dataclasses.Field[Any]) -> Any:
    return None if field.default is dataclasses.MISSING else field.default
