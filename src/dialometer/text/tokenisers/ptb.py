"""``ptb``: Penn-Treebank-like tokens: contractions cut (``do n't``), punctuation apart, quotes kept apart; case is kept."""

import re
from typing import ClassVar

from dialometer.text.tokenisers.base import Tokeniser

_PASSES = tuple(
    (re.compile(pattern, re.IGNORECASE), replacement)
    for pattern, replacement in (
        (r'^"', "`` "),
        (r'([ (\[{<])"', r"\1 `` "),
        (r"([:,])([^\d])", r" \1 \2"),
        (r"([:,])$", r" \1 "),
        (r"\.\.\.", " ... "),
        (r"[;@#$%&?!]", r" \g<0> "),
        (r"([^\.])(\.)([\]\)}>\"']*)\s*$", r"\1 \2\3 "),
        (r"([^'])' ", r"\1 ' "),
        (r"[\]\[(){}<>]", r" \g<0> "),
        (r"--", " -- "),
        (r"$", " "),
        (r"^", " "),
        (r'"', " '' "),
        (r"([^' ])('s|'m|'d|'ll|'re|'ve|n't|') ", r"\1 \2 "),
        (r"\b(can)(not)\b", r" \1 \2 "),
        (r"\b(gon|wan)(na)\b", r" \1 \2 "),
        (r"\b(got)(ta)\b", r" \1 \2 "),
        (r"\b(gim|lem)(me)\b", r" \1 \2 "),
    )
)


class Ptb(Tokeniser):
    """Treebank-like tokens.

    >>> Ptb().split('They\\'ll say "no", won\\'t they?')
    ['They', "'ll", 'say', '``', 'no', "''", ',', 'wo', "n't", 'they', '?']
    """

    name: ClassVar[str] = "ptb"

    def split(self, text: str) -> list[str]:
        """The passes in order, then white space."""
        for pattern, replacement in _PASSES:
            text = pattern.sub(replacement, text)
        return text.split()
