"""Detokenisation: punctuation is attached to the word it belongs to."""

from __future__ import annotations

import re
from collections.abc import Sequence

_BEFORE = re.compile(r" +([.,!?;:%)\]}…]+)(?= |$)")
_AFTER = re.compile(r"(?<!\S)([(\[{$#@]) +(?=\S)")
_JOINED = re.compile(r"(?<=\w) ?(['’]) ?(s|t|m|d|re|ve|ll)\b")
_HYPHEN = re.compile(r"(?<=\w) - (?=\w)")


def spoken(words: Sequence[str]) -> str:
    """One text.

    >>> spoken(["let", "'", "s", "go", ",", "it", "'", "s", "(", "nearly", ")", "5", "%", "off", "."])
    "let's go, it's (nearly) 5% off."
    """
    text = _JOINED.sub(r"\1\2", " ".join(words))
    return _HYPHEN.sub("-", _AFTER.sub(r"\1", _BEFORE.sub(r"\1", text)))
