"""Asked before a network is used: is torch here, and do files hold what they should?"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from importlib.util import find_spec
from typing import Any

import numpy as np

from dialometer.core.errors import MissingResource

Shapes = Mapping[str, tuple[int, ...]]


def needs_torch(name: str) -> None:
    """Refuse with the line to type where torch is not installed."""
    if find_spec("torch") is None:
        raise MissingResource(f"{name} needs PyTorch, which is not installed", 'pip install "dialometer[neural]"')


def take(arrays: dict[str, np.ndarray], where: str, *names: str) -> Iterator[np.ndarray]:
    """Arrays by name, out of the rest; one that is missing is named."""
    for name in names:
        if name not in arrays:
            raise MissingResource(f"what was fitted in {where} has no array {name!r}", "dialometer train makes it anew")
        yield arrays.pop(name)


def shapes_of(found: Any) -> dict[str, tuple[int, ...]]:
    """The shape of everything in a mapping; of what is no mapping, nothing."""
    return {str(k): tuple(getattr(v, "shape", ())) for k, v in found.items()} if isinstance(found, Mapping) else {}


def check_shapes(found: Shapes, wanted: Shapes, where: str, *, hint: str = "", exact: bool = False) -> None:
    """Refuse weights of another kind, naming parameter, expected and found shape; ``exact`` refuses further ones too."""
    hint = hint or "check that the files belong together and were downloaded whole"
    for name, shape in wanted.items():
        if name not in found:
            some = ", ".join(sorted(found)[:6]) or "nothing"
            raise MissingResource(f"{where} has no parameter {name!r} of shape {shape}; it holds {some}", hint)
        if found[name] != shape:
            raise MissingResource(f"{where}: parameter {name!r} has shape {found[name]}, and {shape} is expected", hint)
    more = sorted(set(found) - set(wanted))
    if exact and more:
        raise MissingResource(f"{where} holds {more[0]!r}, which is no parameter of this network", hint)
