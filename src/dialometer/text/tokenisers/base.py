"""What a tokeniser is: a definition in Python, and, where it pays, byte rules that a kernel follows on plain ASCII.

The options are part of every tokeniser and of its recipe: drop stop words, drop punctuation, strip speaker marks.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import ClassVar

from dialometer.core.errors import SpecError
from dialometer.core.registry import create
from dialometer.text.tokenisers.stopwords import is_punctuation, is_stopword

SPEAKER = re.compile(r"<(?:first|second|third|at)_speaker>|@user\b", re.IGNORECASE)
_CHOICES = ("keep", "drop")


@dataclass(frozen=True)
class Tokeniser:
    """Base of the tokenisers: subclasses give ``split`` and, if they can, byte rules.

    Tokens never hold white space.
    """

    stopwords: str = "keep"
    punctuation: str = "keep"
    speakers: str = "keep"

    name: ClassVar[str] = ""
    version: ClassVar[int] = 1
    lower: ClassVar[bool] = False
    rules: ClassVar[int] = 0  # which rules of kernels/split.py equal ``split`` on ASCII texts without the marks below
    classes: ClassVar[bytes] = b""  # the class of each byte under those rules; empty: always use ``split``
    utf8: ClassVar[bool] = False  # whether the rules hold for UTF-8 too, where characters beyond ASCII are ordinary
    slow_marks: ClassVar[tuple[bytes, ...]] = ()  # a text that holds one of these is left to ``split``

    def __post_init__(self) -> None:
        for option in ("stopwords", "punctuation", "speakers"):
            if getattr(self, option) not in _CHOICES:
                raise SpecError(
                    f"{self.name}({option}=…) is keep or drop, not {getattr(self, option)!r}", f"{self.name}({option}=drop)"
                )

    def split(self, text: str) -> list[str]:
        """The definition: a text's tokens."""
        raise NotImplementedError

    def tokens(self, text: str) -> list[str]:
        """The tokens that remain under the options."""
        return [token for token in self.split(self.strip(text)) if self.keeps(token)]

    def strip(self, text: str) -> str:
        """The text without speaker marks, if they are dropped."""
        return SPEAKER.sub(" ", text) if self.speakers == "drop" else text

    def keeps(self, word: str) -> bool:
        """Whether a word survives the options."""
        if self.stopwords == "drop" and is_stopword(word):
            return False
        return not (self.punctuation == "drop" and is_punctuation(word))

    @property
    def recipe(self) -> str:
        """Name, version and options, as recipes print them: ``words-1``, ``13a-1-stopwords``."""
        dropped = [f"-{option}" for option in ("stopwords", "punctuation", "speakers") if getattr(self, option) == "drop"]
        return f"{self.name}-{self.version}{''.join(dropped)}"


def tokeniser(spec: str | Tokeniser) -> Tokeniser:
    """The tokeniser of a spec.

    >>> tokeniser("words(stopwords=drop)").tokens("I like the tea!")
    ['like', 'tea', '!']
    """
    if isinstance(spec, Tokeniser):
        return spec
    made: Tokeniser = create("tokeniser", spec)
    return made


def byte_classes(beyond: str = "WORD", **groups: str) -> bytes:
    """A class table for kernels/split.py: ASCII white space is SPACE, every other byte WORD unless a group names it.

    ``beyond`` is the class of bytes beyond ASCII.
    """
    import dialometer.kernels.split as kinds

    table = [kinds.SPACE if chr(byte).isspace() else kinds.WORD for byte in range(128)]
    table += [getattr(kinds, beyond)] * 128
    for kind, characters in groups.items():
        for character in characters:
            table[ord(character)] = getattr(kinds, kind)
    return bytes(table)
