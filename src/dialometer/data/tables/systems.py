"""What distinguishes systems, from a TOML file: a table per system, a key per factor."""

from __future__ import annotations

from pathlib import Path

from dialometer.core.errors import DataError
from dialometer.core.files import read_toml
from dialometer.core.types import Systems
from dialometer.data.formats.detect import check_path

EXAMPLE = '[my-bot]\nmodel = "hred"\ncorpus = "reddit"'


def read_systems(path: Path | str) -> Systems:
    """Systems and the levels of their factors; numbers and true/false are levels too."""
    path = check_path(path)
    given = read_toml(path, EXAMPLE.splitlines()[0])
    for name, factors in given.items():
        if not isinstance(factors, dict) or any(isinstance(level, dict | list) for level in factors.values()):
            raise DataError(f"{name!r} is not a table of factors", file=str(path), hint=EXAMPLE.replace("\n", " ; "))
    if not given:
        raise DataError("names no system", file=str(path), hint=EXAMPLE.replace("\n", " ; "))
    return Systems({name: {key: str(level) for key, level in factors.items()} for name, factors in given.items()})
