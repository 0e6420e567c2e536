"""The units that perturbations move about: pieces between white space; single characters of Han and kana."""

from __future__ import annotations

import re
from collections.abc import Sequence

_ALONE = "\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff"
_UNIT = re.compile(rf"[{_ALONE}]|[^\s{_ALONE}]+")
_ONLY = re.compile(rf"[{_ALONE}]+")


def units(text: str) -> list[str]:
    """The units of a text in order.

    >>> units("Tea, please!"), units("我爱茶")
    (['Tea,', 'please!'], ['我', '爱', '茶'])
    """
    return _UNIT.findall(text)


def join(pieces: Sequence[str]) -> str:
    """Units as a text: with spaces, unless all of them belong to a script without any."""
    return ("" if all(map(_ONLY.fullmatch, pieces)) else " ").join(pieces)


def first_units(text: str, number: int) -> str:
    """The start of a text up to its unit of that number, spaces as they were."""
    for count, found in enumerate(_UNIT.finditer(text), 1):
        if count == number:
            return text[: found.end()]
    return text
