"""Laughter in a text: its number of "ha"s (Ghandeharioun et al. 2019, §4.3).

Counted in words that are laughter and nothing else: the released code counts those of "what" and "that" too.
"""

from __future__ import annotations

import re

_LAUGH = re.compile(r"\b(?:(?:ha)+|a(?:ha){2,})h?\b", re.IGNORECASE)  # "aha" is no laughter


def laughs(text: str) -> int:
    """The number of "ha"s.

    >>> [laughs(text) for text in ("Haha, what?", "ha ha HA", "ahahah", "that hat", "Aha, I see")]
    [2, 3, 2, 0, 0]
    """
    return sum(found.lower().count("ha") for found in _LAUGH.findall(text))
