"""Placeholders for what no model should learn by heart: ``<url>``, ``<number>``, ``@user``."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import replace

from dialometer.core.errors import UnknownName
from dialometer.core.types import Dialogue, Turn
from dialometer.data.formats.protocol import Item

PATTERNS = {
    "url": (re.compile(r"(?:https?://|www\.)[^\s<>\"')\]]*[^\s<>\"')\].,;:!?]", re.IGNORECASE), "<url>"),
    "user": (re.compile(r"(?<![\w@])@\w+"), "@user"),
    "number": (re.compile(r"(?<![\w<])[+-]?\d+(?:[.,:]\d+)*(?!\w)"), "<number>"),
}


def checked_kinds(kinds: Iterable[str]) -> tuple[str, ...]:
    """Known kinds, in the order in which they must be applied: a link may hold names and numbers."""
    wanted = {kind.strip() for kind in kinds if kind.strip()}
    for kind in sorted(wanted - PATTERNS.keys()):
        raise UnknownName("placeholder", kind, PATTERNS, hint="--placeholders url,number,user")
    return tuple(kind for kind in PATTERNS if kind in wanted)


def mask(text: str, kinds: tuple[str, ...]) -> str:
    """The text with placeholders.

    >>> mask("@ann see https://x.org/7, room 12 at 10:30, b2b", ("url", "user", "number"))
    '@user see <url>, room <number> at <number>, b2b'
    """
    for kind in kinds:
        pattern, sign = PATTERNS[kind]
        text = pattern.sub(sign, text)
    return text


def masked_item(item: Item, kinds: tuple[str, ...]) -> Item:
    """An item with placeholders in all its texts."""
    if not kinds:
        return item
    if isinstance(item, Dialogue):
        return replace(item, turns=_turns(item.turns, kinds))
    return replace(
        item,
        context=_turns(item.context, kinds),
        response=mask(item.response, kinds),
        references=tuple(mask(text, kinds) for text in item.references),
        after=_turns(item.after, kinds),
    )


def _turns(turns: tuple[Turn, ...], kinds: tuple[str, ...]) -> tuple[Turn, ...]:
    return tuple(replace(turn, text=mask(turn.text, kinds)) for turn in turns)
