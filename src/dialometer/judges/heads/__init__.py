"""Heads that come with the package: a judge named without options scores with the one of its name."""

from __future__ import annotations

from dataclasses import fields
from functools import cache
from pathlib import Path
from typing import Any

from dialometer.core.registry import load_folder, manifest_path

HEADS = Path(__file__).parent


def shipped(judge: Any) -> Any:
    """The head of this judge if it is as the catalogue makes it, apart from what can be adjusted; else nothing."""
    kind: Any = type(judge)
    plain = kind()
    options = [f.name for f in fields(judge) if f.name != "head"]
    changed = [name for name in options if getattr(judge, name) != getattr(plain, name)]
    if judge.head is not None or set(changed) - set(judge.adjustable):
        return None
    return _opened(kind, judge.name)


@cache
def _opened(kind: Any, name: str) -> Any:
    folder = HEADS / name
    return load_folder(kind, folder) if manifest_path(folder).is_file() else None
