"""Folders of fitted things: ``thing.json`` says what it is, ``arrays.safetensors`` holds what it learnt. Never a pickle.

The card keeps the options, so that loading makes an equal thing, and the hashes of the texts it was fitted on are an array.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from hashlib import blake2b
from pathlib import Path
from typing import Any

import numpy as np
import orjson

from dialometer.errors import MissingResource
from dialometer.registry import CARD

ARRAYS = "arrays.safetensors"


def save_thing(folder: Path, kind: str, thing: Any, arrays: Mapping[str, np.ndarray], **facts: Any) -> None:
    """Write a fitted thing; the card comes last, so that a folder with a card is whole."""
    from safetensors.numpy import save_file

    folder.mkdir(parents=True, exist_ok=True)
    save_file({name: np.ascontiguousarray(array) for name, array in arrays.items()}, folder / ARRAYS)
    options = {f.name: getattr(thing, f.name) for f in dataclasses.fields(thing) if f.repr}
    card = {"kind": kind, "name": thing.name, "version": thing.version, "options": options, **facts}
    (folder / CARD).write_bytes(orjson.dumps(card, option=orjson.OPT_INDENT_2 | orjson.OPT_SERIALIZE_NUMPY))


def open_thing(folder: Path, made: Any) -> tuple[dict[str, Any], dict[str, np.ndarray]]:
    """The card and the arrays of a folder that ``made`` (a class) wrote, options checked."""
    from safetensors import SafetensorError
    from safetensors.numpy import load_file

    hint = f"dialometer train {made.name} FILE… makes it anew"
    try:
        card = orjson.loads((folder / CARD).read_bytes())
        arrays = load_file(folder / ARRAYS)
    except (OSError, ValueError, SafetensorError) as error:
        raise MissingResource(f"the fitted {made.name} in {folder} cannot be read ({error})", hint) from None
    known = {f.name for f in dataclasses.fields(made) if f.repr}
    told = (card.get("name"), card.get("version")) if isinstance(card, dict) else ()
    if told != (made.name, made.version) or not set(card.get("options", {})) <= known:
        raise MissingResource(f"{folder} was not written by {made.name} of version {made.version}", hint)
    return card, arrays


def digest(*parts: bytes | np.ndarray) -> str:
    """Eight hexadecimal digits of some content, for recipes."""
    made = blake2b(digest_size=4)
    for part in parts:
        made.update(np.ascontiguousarray(part).tobytes() if isinstance(part, np.ndarray) else part)
    return made.hexdigest()
