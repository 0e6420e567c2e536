"""Whether a text says yes or no: explicit words of agreement and refusal, counted by hand-made lists.

A deliberate approximation: irony and the scope of negation are not handled.
"""

from __future__ import annotations

import re

YES = frozenset("yes yeah yep yup sure absolutely definitely certainly indeed ok okay".split())
NO = frozenset(
    "no not nope nah never none nobody nothing nowhere neither nor without cannot unfortunately unable refuse".split()
    + "cant dont wont doesnt didnt isnt arent wasnt werent couldnt shouldnt wouldnt havent hasnt hadnt".split()
)
_WORD = re.compile(r"[^\W_]+(?:['’][^\W_]+)*|['’]\w+", re.UNICODE)
_NEGATED = ("n't", "n’t")


def polarity(text: str) -> int:
    """−1 for a text with a word of refusal, +1 for one with a word of agreement and no refusal, 0 for neither.

    A "no" that is itself negated ("not without", "no , not at all") is not worked out: one refusal is enough.

    >>> polarity("hi , yes we do deliver ."), polarity("we currently do n't deliver"), polarity("good morning")
    (1, -1, 0)
    """
    words = _WORD.findall(text.casefold())
    if any(word in NO or word.endswith(_NEGATED) for word in words):
        return -1
    return int(any(word in YES for word in words))


def contradicts(a: int, b: int) -> bool:
    """One says yes and the other no."""
    return a * b < 0
