"""Artifacts: folders of fitted objects. ``artifact.json`` is the manifest, ``arrays.safetensors`` holds the parameters. No pickles.

The manifest has the options, so that loading gives an equal object; the hashes of the texts it was fitted on are one of the arrays.
Its ``seal`` holds the format and BLAKE2b checksums of the manifest and of the arrays, which are verified when the folder is opened.
Manifests without a seal, and manifests called ``thing.json``, were written by older versions and are read too; without a seal only
types and shapes are checked.
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
from dialometer.core.registry import CARD, OLD_MANIFEST, manifest_path

ARRAYS = "arrays.safetensors"
FORMAT = 1  # of sealed folders; raised when an older version could misread a newer folder
TYPES: dict[str, tuple[type, ...]] = {"int": (int,), "float": (float, int), "str": (str,), "bool": (bool,)}
DTYPES = {
    "float": "f",
    "finite": "f",
    "whole": "iu",
    "letters": "u",
}  # kinds of numpy's dtypes by the words that ``check_arrays`` takes


def save_artifact(folder: Path, kind: str, component: Any, arrays: Mapping[str, np.ndarray], **facts: Any) -> None:
    """Write a fitted object; the manifest is written last, so that a folder with a manifest is complete."""
    from safetensors.numpy import save

    folder.mkdir(parents=True, exist_ok=True)
    data = save({name: np.ascontiguousarray(array) for name, array in arrays.items()})
    write_bytes(folder / ARRAYS, data)
    options = {f.name: getattr(component, f.name) for f in dataclasses.fields(component) if f.repr}
    manifest = {"kind": kind, "name": component.name, "version": component.version, "options": options, **facts}
    plain = orjson.loads(orjson.dumps(manifest, option=orjson.OPT_SERIALIZE_NUMPY))
    sealed = plain | {"seal": seal(plain, data)}
    write_bytes(folder / CARD, orjson.dumps(sealed, option=orjson.OPT_INDENT_2))
    (folder / OLD_MANIFEST).unlink(missing_ok=True)


def seal(manifest: Mapping[str, Any], arrays: bytes) -> dict[str, Any]:
    """The format, and checksums of a manifest without its seal and of the file of arrays."""
    canonical = orjson.dumps(manifest, option=orjson.OPT_SORT_KEYS)
    return {"format": FORMAT, "manifest": _checksum(canonical), "arrays": _checksum(arrays)}


def open_artifact(folder: Path, component: Any) -> tuple[dict[str, Any], dict[str, np.ndarray]]:
    """The manifest and the arrays of a folder that ``component`` (a class) wrote: checksums verified, options checked."""
    from safetensors import SafetensorError
    from safetensors.numpy import load

    hint = f"dialometer train {component.name} FILE… makes it anew"
    foreign = MissingResource(f"{folder} was not written by {component.name} of version {component.version}", hint)
    path = manifest_path(folder)
    try:
        for file in (path, folder / ARRAYS):
            check_regular(file)
        manifest = orjson.loads(path.read_bytes())
        require_memory((folder / ARRAYS).stat().st_size, f"the fitted {component.name} in {folder}", hint)
        data = (folder / ARRAYS).read_bytes()
        version = (component.name, component.version)
        if not isinstance(manifest, dict) or (manifest.get("name"), manifest.get("version")) != version:
            raise foreign
        if "seal" in manifest:
            _verify(path.name, manifest, data, manifest.pop("seal"))
        arrays = load(data)
    except (OSError, ValueError, SafetensorError) as error:
        raise MissingResource(f"the fitted {component.name} in {folder} cannot be read ({error})", hint) from None
    if not _are_options(component, manifest.get("options", {})):
        raise foreign
    try:
        check_options(component, manifest["options"], component.name)
    except SpecError as error:
        raise MissingResource(f"the fitted {component.name} in {folder} is damaged: {error.message}", hint) from None
    if not isinstance(manifest.get("facts", {}), dict):
        raise MissingResource(f"the facts in {path} are no object", hint)
    return manifest, arrays


def check_arrays(arrays: Mapping[str, np.ndarray], **wanted: str) -> None:
    """Refuse arrays that are missing, of another type or of another shape, by a ValueError that names the array.

    A shape is a word for the dtype and a size per dimension: a number, or a name that stands for the same size everywhere.
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
        array = arrays[name]
        fits = array.dtype.kind in DTYPES[kind] and (kind != "letters" or array.dtype.itemsize == 1)
        expected = [int(dim) if dim.isdigit() else sizes.get(dim) for dim in dims]
        known = zip(expected, array.shape, strict=False)
        if not fits or len(expected) != array.ndim or any(size not in (None, actual) for size, actual in known):
            dimensions = ", ".join(f"{dim} = {sizes[dim]}" if dim in sizes else dim for dim in dims)
            raise ValueError(
                f"its array {name!r} is {array.dtype} of shape {array.shape}, and {kind} ({dimensions}) is expected"
            )
        if kind == "float" and np.isnan(array).any():
            raise ValueError(f"its array {name!r} holds NaN")
        if kind == "finite" and not np.isfinite(array).all():
            raise ValueError(f"its array {name!r} holds NaN or infinity")
        sizes |= {dim: size for dim, size in zip(dims, array.shape, strict=True) if not dim.isdigit()}


def digest(*parts: bytes | np.ndarray) -> str:
    """Eight hexadecimal digits of a hash of some content, for recipes."""
    content = blake2b(digest_size=4)
    for part in parts:
        content.update(np.ascontiguousarray(part).tobytes() if isinstance(part, np.ndarray) else part)
    return content.hexdigest()


def _verify(name: str, manifest: dict[str, Any], data: bytes, written: Any) -> None:
    """Refuse a folder whose manifest or arrays do not have the checksums of its seal."""
    if not isinstance(written, dict) or not isinstance(written.get("format"), int):
        raise ValueError(f"{name} has a seal that cannot be read")
    if written["format"] > FORMAT:
        raise ValueError(f"{name} has format {written['format']}, of a newer version of dialometer")
    actual = seal(manifest, data)
    checksums = {"manifest": written.get("card"), **written}  # "card" in folders of older versions
    for part, file in (("manifest", name), ("arrays", ARRAYS)):
        if checksums.get(part) != actual[part]:
            raise ValueError(f"{file} is not what was written: its checksum differs")


def _are_options(component: Any, options: Any) -> bool:
    """Whether these are options of the class, each of its field's type."""
    fields = {f.name: f for f in dataclasses.fields(component) if f.repr}
    if not isinstance(options, dict) or not set(options) <= fields.keys():
        return False
    kinds = ((value, getattr(fields[name].type, "__name__", str(fields[name].type))) for name, value in options.items())
    return all(
        kind not in TYPES or (isinstance(value, TYPES[kind]) and isinstance(value, bool) == (kind == "bool"))
        for value, kind in kinds
    )


def _checksum(data: bytes) -> str:
    return blake2b(data, digest_size=16).hexdigest()
