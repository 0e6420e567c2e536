"""Files and folders that appear whole or not at all: a temporary name, then one rename."""

from __future__ import annotations

import os
import secrets
import shutil
from collections.abc import Callable
from pathlib import Path

import numpy as np
import orjson


def write_bytes(path: Path, data: bytes) -> None:
    """Replace a file's content."""
    part = path.with_name(f".{path.name}.{secrets.token_hex(4)}")
    with part.open("wb") as file:
        file.write(data)
        file.flush()
        os.fsync(file.fileno())
    os.replace(part, path)


def write_json(path: Path, value: object) -> None:
    """A JSON file, indented, keys in the order given; NaN becomes null."""
    write_bytes(
        path, orjson.dumps(value, option=orjson.OPT_INDENT_2 | orjson.OPT_APPEND_NEWLINE | orjson.OPT_SERIALIZE_NUMPY)
    )


def write_array(path: Path, array: np.ndarray) -> None:
    """A ``.npy`` file."""
    part = path.with_name(f".{path.name}.{secrets.token_hex(4)}.npy")
    np.save(part, array)
    os.replace(part, path)


def write_folder(path: Path, fill: Callable[[Path], object]) -> None:
    """A folder that ``fill`` fills; one left over from before is replaced."""
    part = path.with_name(f".{path.name}.{secrets.token_hex(4)}")
    part.mkdir(parents=True)
    fill(part)
    if path.exists():
        shutil.rmtree(path)
    part.rename(path)
