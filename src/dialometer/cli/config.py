"""``--config x.toml``: the same keys as the options; what is typed on the command line wins."""

from __future__ import annotations

from typing import Any

import click
from click.core import ParameterSource

from dialometer.core.errors import DataError, UnknownName
from dialometer.core.files import read_toml
from dialometer.core.ranges import shown

_SPELT = {"m": "metrics", "metric": "metrics", "ref": "references", "from": "format", "inputs": "files", "json": "as_json"}


def with_config(ctx: click.Context, options: dict[str, Any]) -> dict[str, Any]:
    """Options with the file's values where the command line is silent."""
    path = options.pop("config")
    if not path:
        return options
    try:
        given = read_toml(path, 'metrics = ["bleu"]')
    except OSError as error:
        raise DataError((error.strerror or str(error)).lower(), file=path, hint="check the path of --config") from None
    merged = dict(options)
    for spelt, value in given.items():
        key = _SPELT.get(spelt, spelt).replace("-", "_")
        if key not in options:
            raise UnknownName(f"option in {path}", spelt, options, hint=f"{ctx.command_path} --help")
        wanted = options[key]
        if isinstance(wanted, tuple):
            value = (value,) if isinstance(value, str) else tuple(value) if isinstance(value, list) else value
        if type(wanted) is float and type(value) is int:  # TOML tells 20 from 20.0, people do not
            value = float(value)
        if type(value) is not type(wanted) or (isinstance(value, tuple) and not all(type(v) is str for v in value)):
            raise DataError(
                f"{spelt} wants a {_kind(wanted)}, not {shown(value)}", file=path, hint=f"{ctx.command_path} --help"
            )
        if ctx.get_parameter_source(key) is ParameterSource.DEFAULT:
            merged[key] = value
    return merged


def _kind(value: object) -> str:
    names = {str: "text", int: "whole number", float: "number", bool: "true or false", tuple: "list of texts"}
    return names.get(type(value), type(value).__name__)
