"""``meteor``: the normaliser of METEOR 1.5 (its ``-norm`` for English), then lower case and white space.

The rules were derived from the output of the released jar. Two deviations: white space that Java would keep inside a token
(vertical tab) or as a token (U+0085, U+1680, U+2028, U+2029 and the separators U+001C–1F) separates tokens here, as in all
tokenisers, and the jar's internal placeholder ``DOTMULTI`` has no meaning.
"""

from __future__ import annotations

import re
from functools import cache
from typing import ClassVar

from dialometer.text.meteor.resources import meteor_member
from dialometer.text.tokenisers.base import Tokeniser

_LETTERS = "A-Za-zŠŽšžŸÀ-ÖØ-öø-žЀ-ӿԀ-ԧꙀ-ꙮ꙾-ꚗᴀ-ᵿ"
_ALONE = re.compile(rf"([^0-9{_LETTERS}\s.'`,\-‘’])", re.ASCII)
_DOTS = re.compile(r"\.{2,}")
_DASH = re.compile(rf"([0-9{_LETTERS}.])-([0-9{_LETTERS}])")
_COMMAS = tuple(re.compile(rf"([{a}]),([{b}])") for a, b in (("^0-9", "^0-9"), ("0-9", "^0-9"), ("^0-9", "0-9")))
_QUOTES = (
    (re.compile(rf"([^{_LETTERS}])'([^{_LETTERS}])"), r"\1 ' \2"),
    (re.compile(rf"([^{_LETTERS}0-9])'([{_LETTERS}])"), r"\1 ' \2"),
    (re.compile(rf"([{_LETTERS}])'([^{_LETTERS}])"), r"\1 ' \2"),
    (re.compile(rf"([{_LETTERS}])'([{_LETTERS}])"), r"\1 '\2"),
    (re.compile(r"([0-9])'(s)"), r"\1 '\2"),
)
_LETTER = re.compile(f"[{_LETTERS}]")
_SAME = str.maketrans({"`": "'", "‘": "'", "’": "'", "“": ' " ', "”": ' " ', "–": "-"})
_JAVA_WORDS = re.compile(r"[^ \t\n\r\f]+")
_NEIGHBOURS = re.compile(r"[,'`]\s+[,'`]")  # a pass that used up the space between two marks leaves the second one unparted
_STOP = re.compile(r"\.(?<=[^\s.]\.)(?:\s|$)", re.ASCII)  # the literal comes first: it is what the search can leap to
_MANY = 1 << 17

# Without METEOR's own list: single capitals and the commonest titles and abbreviations; "2" needs a number after it.
_TITLES = "Dr Mr Mrs Ms Prof Sr St Gen Gov Sen Rev v vs i.e e.g".split()
_FEW = {**dict.fromkeys([*map(chr, range(65, 91)), *_TITLES], 1), "No": 2}


class MeteorNorm(Tokeniser):
    """METEOR's own tokens.

    >>> MeteorNorm().split("Don't go, Dr. Who's re-done it... (again)!")
    ['don', "'t", 'go', ',', 'dr.', 'who', "'s", 're', 'done', 'it', '...', '(', 'again', ')', '!']
    """

    name: ClassVar[str] = "meteor"

    def split(self, text: str) -> list[str]:
        """Part symbols, commas and contractions, join dashes, then settle each word's last full stop."""
        easy = text.isascii() and not _NEIGHBOURS.search(text)
        line = " ".join(map(_CHUNKS.__getitem__, text.split())) if easy else _part(text)
        if "." in text and _STOP.search(line):
            line = "\n".join(_stops(line.split() if easy else _JAVA_WORDS.findall(line)))
        return line.lower().split()

    @property
    def recipe(self) -> str:
        """As of every tokeniser, plus a word when METEOR's list of abbreviations is not installed."""
        return super().recipe + ("" if _has_list() else "-fewprefixes")


class _Chunks(dict[str, str]):
    """What lies between two spaces, parted: the same each time it comes, so it is remembered."""

    def __missing__(self, chunk: str) -> str:
        if len(self) >= _MANY:
            self.clear()
        self[chunk] = made = _easy(chunk) or _part(chunk)
        return made


_CHUNKS = _Chunks()


def _easy(chunk: str) -> str:
    """The commonest shapes of an ASCII chunk, parted without the passes: ``tea``, ``tea!``, ``tea.``, ``don't``."""
    body, last = chunk[:-1], chunk[-1]
    if chunk.isalnum() or (last == "." and body.isalnum()):
        return chunk
    if body.isalnum() and last not in "'`-":
        return f"{body} {last}"
    left, _, right = chunk.partition("'")
    return f"{left} '{right}" if left.isalpha() and right.isalpha() else ""


def _part(text: str) -> str:
    """The passes before full stops, in the jar's order."""
    line = _ALONE.sub(r" \1 ", f" {text} ")
    line = _DOTS.sub(r" \g<0> ", line)
    if "," in line:
        for pattern in _COMMAS:
            line = pattern.sub(r"\1 , \2", line)
    line = line.translate(_SAME).replace("''", ' " ').replace("--", "-")
    line = _DASH.sub(r"\1 \2", line)
    if "'" in line:
        for pattern, replacement in _QUOTES:
            line = pattern.sub(replacement, line)
    return line


def _stops(words: list[str]) -> list[str]:
    """Full stops at the end of words: kept after an abbreviation or before a small letter, taken out of ``U.S.``, else parted."""
    ends = [i for i, word in enumerate(words) if word[-1] == "." and word[:-1].strip(".")]
    first = {i: words[i + 1][0] for i in ends if i + 1 < len(words)}  # before any word changes
    for i in reversed(ends):
        stem = words[i][:-1]
        kind = _prefixes().get(stem, 0)
        follows = first.get(i, "")
        if "." in stem and _LETTER.search(stem):
            words[i] = words[i].replace(".", "")
        elif not (kind == 1 or "a" <= follows <= "z" or (kind == 2 and "0" <= follows <= "9")):
            words[i : i + 1] = [stem, "."]
    return words


@cache
def _prefixes() -> dict[str, int]:
    """Abbreviation → 1, or 2 when it counts before a number only."""
    data = meteor_member("nonbreaking/english.prefixes")
    if data is None:
        return _FEW
    rows = [line.split() for line in data.decode().splitlines()]
    return {row[0]: 2 if row[1:2] == ["#NUMERIC_ONLY#"] else 1 for row in rows if row and not row[0].startswith("#")}


@cache
def _has_list() -> bool:
    return meteor_member("nonbreaking/english.prefixes") is not None
