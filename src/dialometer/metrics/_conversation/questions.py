"""Whether a text asks: half a point for a question word, half a point for a question mark (Ghandeharioun et al. 2019, §4.3).

The halves and the six words are those of the code that the authors released.
"""

from __future__ import annotations

import re

_WORD = re.compile(r"\b(?:who|what|why|where|how|when)\b", re.IGNORECASE)
_MARK = re.compile("[?？]")


def question_score(text: str) -> float:
    """0, ½ or 1.

    >>> [question_score(text) for text in ("How are you?", "how nice", "really?", "whatever")]
    [1.0, 0.5, 0.5, 0.0]
    """
    return (bool(_WORD.search(text)) + bool(_MARK.search(text))) / 2
