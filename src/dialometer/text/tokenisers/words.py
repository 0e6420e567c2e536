"""``words``, the default: lower-case words and punctuation, right for any script.

Marks such as ``<url>``, ``@name`` and ``#tag`` are one token; so are contractions (``don't``), numbers (``3.5``) and emoji
sequences; Han and kana, written without spaces, are cut into characters.
"""

import re
import unicodedata
from functools import cache
from typing import Any, ClassVar

from dialometer.kernels.split import WORDS
from dialometer.text.tokenisers.base import Tokeniser, byte_classes

_ASCII = re.compile(r"<\w+>|[@#]?\w+(?:'\w+|(?<=[0-9])[.,](?=[0-9])\w+)*|\S", re.ASCII)
_SYMBOLS = "".join(chr(byte) for byte in range(128) if not (chr(byte).isalnum() or chr(byte).isspace() or chr(byte) == "_"))


class UnicodeWords(Tokeniser):
    """Lower-case words and punctuation.

    >>> UnicodeWords().split("Don't @Bob, 3.5 <url> naïve 我爱 👍🏽!")
    ["don't", '@bob', ',', '3.5', '<url>', 'naïve', '我', '爱', '👍🏽', '!']
    """

    name: ClassVar[str] = "words"
    lower: ClassVar[bool] = True
    rules: ClassVar[int] = WORDS
    classes: ClassVar[bytes] = byte_classes(ALONE=_SYMBOLS, QUOTE="'", POINT=".,", OPEN="<", SIGIL="@#")

    def split(self, text: str) -> list[str]:
        """Lower-case and, beyond ASCII, compose (NFC); then cut."""
        if text.isascii():
            return [token for token in _ASCII.findall(text.lower()) if not token.isspace()]
        return _unicode().findall(unicodedata.normalize("NFC", text.lower()))


@cache
def _unicode() -> Any:
    """The pattern beyond ASCII, compiled on first use: the ``regex`` module supports scripts and emoji."""
    import regex

    single = r"[\p{Han}\p{Hiragana}\p{Katakana}]"
    letter = r"[[\p{L}\p{N}_]--[\p{Han}\p{Hiragana}\p{Katakana}]]"
    word = rf"{letter}(?:{letter}|[\p{{M}}\u200c\u200d])*"
    person = r"\p{Extended_Pictographic}[\p{EMod}\ufe0f]*"
    return regex.compile(
        rf"(?V1)<(?:{word})>"
        r"|\p{RI}\p{RI}|[0-9\#*]\ufe0f?\u20e3"
        rf"|{person}(?:\u200d{person})*"
        rf"|{single}\p{{M}}*"
        rf"|[@\#]?{word}(?:['’]{word}|(?<=[0-9])[.,](?=[0-9]){word})*"
        r"|[^\s\p{Cf}\x1c-\x1f]\p{M}*"
    )
