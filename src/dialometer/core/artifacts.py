"""Folders of fitted things: ``thing.json`` says what it is, ``arrays.safetensors`` holds what it learnt. Never a pickle.

The card keeps the options, so that loading makes an equal thing, and the hashes of the texts it was fitted on are an array. Its
``seal`` holds the format and BLAKE2b checksums of the card and of the arrays, and both are verified when the folder is opened.
Cards that were written before there was a seal are read too: what they say is checked as far as types and shapes go.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from hashlib import blake2b
from pathlib import Path
from typing import Any

import numpy as np
import orjson

from dialometer.core.atomic import write_bytes
from dialometer.core.errors import MissingResource, SpecError
from dialometer.core.files import check_regular
from dialometer.core.memory import require_memory
from dialometer.core.ranges import check_options
from dialometer.core.registry import CARD

ARRAYS = "arrays.safetensors"
FORMAT = 1  # of sealed folders; raised when an older version could misread a newer folder
TYPES: dict[str, tuple[type, ...]] = {"int": (int,), "float": (float, int), "str": (str,), "bool": (bool,)}
DTYPES = {
    "float": "f",
    "finite": "f",
    "whole": "iu",
    "letters": "u",
}  # kinds of numpy's dtypes by the word for them in ``check_arrays``


def save_thing(folder: Path, kind: str, thing: Any, arrays: Mapping[str, np.ndarray], **facts: Any) -> None:
    """Write a fitted thing; the card comes last, so that a folder with a card is whole."""
    from safetensors.numpy import save

    folder.mkdir(parents=True, exist_ok=True)
    data = save({name: np.ascontiguousarray(array) for name, array in arrays.items()})
    write_bytes(folder / ARRAYS, data)
    options = {f.name: getattr(thing, f.name) for f in dataclasses.fields(thing) if f.repr}
    card = {"kind": kind, "name": thing.name, "version": thing.version, "options": options, **facts}
    written = orjson.loads(orjson.dumps(card, option=orjson.OPT_SERIALIZE_NUMPY))
    sealed = written | {"seal": seal(written, data)}
    write_bytes(folder / CARD, orjson.dumps(sealed, option=orjson.OPT_INDENT_2))


def seal(card: Mapping[str, Any], arrays: bytes) -> dict[str, Any]:
    """The format, and checksums of a card without its seal and of the file of arrays."""
    spelt = orjson.dumps(card, option=orjson.OPT_SORT_KEYS)
    return {"format": FORMAT, "card": _checksum(spelt), "arrays": _checksum(arrays)}


def open_thing(folder: Path, made: Any) -> tuple[dict[str, Any], dict[str, np.ndarray]]:
    """The card and the arrays of a folder that ``made`` (a class) wrote: checksums verified, options checked."""
    from safetensors import SafetensorError
    from safetensors.numpy import load

    hint = f"dialometer train {made.name} FILE… makes it anew"
    foreign = MissingResource(f"{folder} was not written by {made.name} of version {made.version}", hint)
    try:
        for name in (CARD, ARRAYS):
            check_regular(folder / name)
        card = orjson.loads((folder / CARD).read_bytes())
        require_memory((folder / ARRAYS).stat().st_size, f"the fitted {made.name} in {folder}", hint)
        data = (folder / ARRAYS).read_bytes()
        if not isinstance(card, dict) or (card.get("name"), card.get("version")) != (made.name, made.version):
            raise foreign
        if "seal" in card:
            _verify(card, data, card.pop("seal"))
        arrays = load(data)
    except (OSError, ValueError, SafetensorError) as error:
        raise MissingResource(f"the fitted {made.name} in {folder} cannot be read ({error})", hint) from None
    if not _fit_options(made, card.get("options", {})):
        raise foreign
    try:
        check_options(made, card["options"], made.name)
    except SpecError as error:
        raise MissingResource(f"the fitted {made.name} in {folder} is damaged: {error.message}", hint) from None
    if not isinstance(card.get("facts", {}), dict):
        raise MissingResource(f"the facts in {folder / CARD} are no object", hint)
    return card, arrays


def check_arrays(arrays: Mapping[str, np.ndarray], **wanted: str) -> None:
    """Refuse arrays that are missing, of another type or of another shape, by a ValueError that names the array.

    A shape is the word for its numbers and then a size per dimension: a number, or a name that means the same size everywhere.
    Dots in names of arrays are written as two underscores. ``float`` may be infinite, but not NaN; ``finite`` neither.

    >>> check_arrays({"mean": np.zeros(3), "axes": np.zeros((3, 2))}, mean="float width", axes="float width k")
    >>> check_arrays({"mean": np.zeros(3), "axes": np.zeros((4, 2))}, mean="float width", axes="float width k")
    Traceback (most recent call last):
    ValueError: its array 'axes' is float64 of shape (4, 2), and float (width = 3, k) is expected
    """
    sizes: dict[str, int] = {}
    for key, shape in wanted.items():
        name, (kind, *dims) = key.replace("__", "."), shape.split()
        if name not in arrays:
            raise ValueError(f"it has no array {name!r}")
        found = arrays[name]
        fits = found.dtype.kind in DTYPES[kind] and (kind != "letters" or found.dtype.itemsize == 1)
        expected = [int(dim) if dim.isdigit() else sizes.get(dim) for dim in dims]
        known = zip(expected, found.shape, strict=False)
        if not fits or len(expected) != found.ndim or any(size not in (None, there) for size, there in known):
            spelt = ", ".join(f"{dim} = {sizes[dim]}" if dim in sizes else dim for dim in dims)
            raise ValueError(
                f"its array {name!r} is {found.dtype} of shape {found.shape}, and {kind} ({spelt}) is expected"
            )
        if kind == "float" and np.isnan(found).any():
            raise ValueError(f"its array {name!r} holds NaN")
        if kind == "finite" and not np.isfinite(found).all():
            raise ValueError(f"its array {name!r} holds NaN or infinity")
        sizes |= {dim: size for dim, size in zip(dims, found.shape, strict=True) if not dim.isdigit()}


def digest(*parts: bytes | np.ndarray) -> str:
    """Eight hexadecimal digits of some content, for recipes."""
    made = blake2b(digest_size=4)
    for part in parts:
        made.update(np.ascontiguousarray(part).tobytes() if isinstance(part, np.ndarray) else part)
    return made.hexdigest()


def _verify(card: dict[str, Any], data: bytes, found: Any) -> None:
    """Refuse a folder whose card or arrays are not those that its seal was made of."""
    if not isinstance(found, dict) or not isinstance(found.get("format"), int):
        raise ValueError(f"{CARD} has a seal that cannot be read")
    if found["format"] > FORMAT:
        raise ValueError(f"{CARD} has format {found['format']}, of a newer version of dialometer")
    made = seal(card, data)
    for part, file in (("card", CARD), ("arrays", ARRAYS)):
        if found.get(part) != made[part]:
            raise ValueError(f"{file} is not what was written: its checksum differs")


def _fit_options(made: Any, options: Any) -> bool:
    """Whether these are options of the class, each of its field's type."""
    fields = {f.name: f for f in dataclasses.fields(made) if f.repr}
    if not isinstance(options, dict) or not set(options) <= fields.keys():
        return False
    kinds = ((value, getattr(fields[name].type, "__name__", str(fields[name].type))) for name, value in options.items())
    return all(
        kind not in TYPES or (isinstance(value, TYPES[kind]) and isinstance(value, bool) == (kind == "bool"))
        for value, kind in kinds
    )


def _checksum(data: bytes) -> str:
    return blake2b(data, digest_size=16).hexdigest()
