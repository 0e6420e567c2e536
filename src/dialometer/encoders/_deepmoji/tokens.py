"""DeepMoji's words, approximately: lower case, runs of one sign, marks for names, links, numbers and line breaks.

Written after the rules of the published tokeniser, not from its code. It differs in rare things: which punctuation beyond ASCII
becomes ASCII (a short table here, a transliteration library there), rare emoticons, and the exact end of links and addresses.
"""

from __future__ import annotations

import re
import unicodedata

MASK, UNKNOWN, AT, URL, NUMBER, BREAK = (f"CUSTOM_{name}" for name in ("MASK", "UNKNOWN", "AT", "URL", "NUMBER", "BREAK"))
_PLAIN = str.maketrans({"‘": "'", "’": "'", "“": '"', "”": '"', "–": "-", "—": "--", "\u00a0": " "})
_PLAIN |= dict.fromkeys(range(0xFE00, 0xFE10), "")  # variation selectors go
_LINE = re.compile(r"\\[nr]|[\n\r]|<br>")
_TOKEN = re.compile(
    r"(?P<url>(?:https?://|www\.)[^\s\"<>\[\]{}|\\^`]+)"
    r"|(?P<mail>\b[\w.+-]+@[\w-]+\.[\w.-]+\b)"
    rf"|(?P<mark>{BREAK})"
    r"|[a-z]+[-_][a-z]+"  # red-haired
    r"|\#[a-z0-9_]+"
    r"|(?P<at>@[a-z0-9_]+)"
    r"|(?:<+/?3+)+"  # hearts
    r"|-_-|x_x|\^_\^|o[._]o|[()][:;]|\);"
    r"|(?:>:|[:=;])[-,^'\"]?(?:d+|p+|v+|\)+|o+|\(+|3+|/+|\|+|\\+)"
    r"|[a-z]+'[a-z]+"
    r"|(?:mrs?|ms|dr|prof)\."
    r"|\b(?<!\.)(?:[a-z]\.){2,}"  # u.s.a.
    r"|(?P<number>[0-9]+)"
    r"|[a-z]+"
    r"|(?P<sign>[!-/:-@\[-`{-~§´ˇ°£€])(?P=sign)*"
    r"|\S",
    re.ASCII,
)
_SPECIAL = {"url": URL, "mail": AT, "at": AT, "number": NUMBER}
_LONG = re.compile(r"(.)\1{2,}")


def moji_words(text: str) -> list[str]:
    """The tokens of a text.

    >>> moji_words("Sooo happy!!!! :D @bob won 20 at https://x.org\\nI can't")
    ['soo', 'happy', '!!', ':d', 'CUSTOM_AT', 'won', 'CUSTOM_NUMBER', 'at', 'CUSTOM_URL', 'CUSTOM_BREAK', 'i', "can't"]
    """
    plain = unicodedata.normalize("NFKC", text.strip().lower().translate(_PLAIN))
    return [_word(found) for found in _TOKEN.finditer(_LINE.sub(f" {BREAK} ", plain))]


def _word(found: re.Match[str]) -> str:
    """A mark, or the word with three and more of a letter cut to two, as in the text that DeepMoji was trained on."""
    for kind, mark in _SPECIAL.items():
        if found[kind] is not None:
            return mark
    word = found[0]
    return _LONG.sub(r"\1\1", word) if word.isascii() else word
