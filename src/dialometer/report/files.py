"""Several files at once: each under a temporary name first, so that none is ever half there."""

from __future__ import annotations

import os
import secrets
from collections.abc import Mapping
from pathlib import Path


def write_all(folder: Path, made: Mapping[str, str]) -> None:
    """Write every text under its name, in order; where writing fails nothing is renamed and nothing is left lying about."""
    parts: dict[Path, Path] = {}
    try:
        for name, text in made.items():
            path = folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            part = path.with_name(f".{path.name}.{secrets.token_hex(4)}")
            parts[path] = part
            part.write_bytes(text.encode("utf-8"))
        for path, part in parts.items():
            os.replace(part, path)
    finally:
        for part in parts.values():
            part.unlink(missing_ok=True)
