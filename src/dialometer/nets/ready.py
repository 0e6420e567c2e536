"""Asked before a network is used: is torch here, and does the folder hold what it should?"""

from __future__ import annotations

from collections.abc import Iterator
from importlib.util import find_spec

import numpy as np

from dialometer.errors import MissingResource


def needs_torch(name: str) -> None:
    """Refuse with the line to type where torch is not installed."""
    if find_spec("torch") is None:
        raise MissingResource(f"{name} needs PyTorch, which is not installed", 'pip install "dialometer[neural]"')


def take(arrays: dict[str, np.ndarray], where: str, *names: str) -> Iterator[np.ndarray]:
    """Arrays by name, out of the rest; one that is missing is named."""
    for name in names:
        if name not in arrays:
            raise MissingResource(f"the fitted encoder in {where} has no array {name!r}", "dialometer train makes it anew")
        yield arrays.pop(name)
