"""The Porter stemmer in the form that NLTK uses by default.

Porter (1980), "An algorithm for suffix stripping", Program 14(3). NLTK departs from the paper: a list of irregular words,
words of one or two letters kept, ``ies``/``ied`` after one letter give ``ie``, ``y`` becomes ``i`` after any consonant that
is not alone, ``alli`` before the other rules of step 2 and then once more, ``fulli`` and ``logi`` besides.

>>> [stem(word) for word in "relational hopping skies flying enjoyable".split()]
['relat', 'hop', 'sky', 'fli', 'enjoy']
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import lru_cache

_IRREGULAR = {
    "sky": "sky",
    "skies": "sky",
    "dying": "die",
    "lying": "lie",
    "tying": "tie",
    "news": "news",
    "howe": "howe",
    "innings": "inning",
    "inning": "inning",
    "outings": "outing",
    "outing": "outing",
    "cannings": "canning",
    "canning": "canning",
    "proceed": "proceed",
    "exceed": "exceed",
    "succeed": "succeed",
}
_STEP_2 = (
    "ational:ate tional:tion enci:ence anci:ance izer:ize bli:ble alli:al entli:ent eli:e ousli:ous ization:ize ation:ate"
    " ator:ate alism:al iveness:ive fulness:ful ousness:ous aliti:al iviti:ive biliti:ble fulli:ful logi:log"
)
_STEP_3 = "icate:ic ative: alize:al iciti:ic ical:ic ful: ness:"
_STEP_4 = "al ance ence er ic able ible ant ement ment ent ion ou ism ate iti ous ive ize"
_VOWELS = frozenset("aeiou")


def _rules(text: str) -> tuple[re.Pattern[str], dict[str, str]]:
    """Suffix → replacement, and a pattern that finds the first suffix of the list that a word has."""
    table = {suffix: new for suffix, _, new in (pair.partition(":") for pair in text.split())}
    return re.compile(f"(?:{'|'.join(table)})$"), table


_RULES_2, _RULES_3, _RULES_4 = _rules(_STEP_2), _rules(_STEP_3), _rules(_STEP_4)


@lru_cache(maxsize=1 << 16)
def stem(word: str) -> str:
    """The stem of a word, in lower case."""
    lower = word.lower()
    if lower in _IRREGULAR:
        return _IRREGULAR[lower]
    if len(word) <= 2:
        return lower
    lower = _plural(lower)
    lower = _past(lower)
    if lower.endswith("y") and len(lower) > 2 and _shape(lower)[-2] == "c":
        lower = lower[:-1] + "i"
    lower = _double_suffix(lower)
    lower = _replace(lower, _RULES_3, lambda rest: _measure(rest) > 0)
    lower = _replace(lower, _RULES_4, lambda rest: _measure(rest) > 1 and (lower[len(rest) :] != "ion" or rest[-1] in "st"))
    return _final(lower)


def _shape(word: str) -> str:
    """Each letter as c or v: a vowel is one of aeiou, or y after a consonant."""
    shape = ""
    for letter in word:
        shape += "v" if letter in _VOWELS or (letter == "y" and shape[-1:] == "c") else "c"
    return shape


def _measure(word: str) -> int:
    """The paper's m: how often vowels are followed by consonants."""
    return _shape(word).count("vc")


def _ends_short(word: str) -> bool:
    """The paper's *o: consonant, vowel, consonant other than w, x, y; NLTK: also a word that is just vowel, consonant."""
    shape = _shape(word)
    return shape == "vc" or (shape.endswith("cvc") and word[-1] not in "wxy")


def _replace(word: str, rules: tuple[re.Pattern[str], dict[str, str]], allowed: Callable[[str], bool]) -> str:
    """The first rule of the list whose suffix fits decides, whether its condition holds or not."""
    pattern, table = rules
    suffixes = [suffix for suffix in table if word.endswith(suffix)] if pattern.search(word) else []
    if not suffixes:
        return word
    rest = word[: -len(suffixes[0])]
    return rest + table[suffixes[0]] if allowed(rest) else word


def _plural(word: str) -> str:
    """Step 1a."""
    if word.endswith("ies"):
        return word[:-1] if len(word) == 4 else word[:-2]
    if word.endswith("sses"):
        return word[:-2]
    return word[:-1] if word.endswith("s") and not word.endswith("ss") else word


def _past(word: str) -> str:
    """Step 1b."""
    if word.endswith("ied"):
        return word[:-1] if len(word) == 4 else word[:-2]
    if word.endswith("eed"):
        return word[:-1] if _measure(word[:-3]) > 0 else word
    cut = 2 if word.endswith("ed") else 3 if word.endswith("ing") else 0
    rest = word[:-cut] if cut else ""
    if "v" not in _shape(rest):
        return word
    if rest.endswith(("at", "bl", "iz")):
        return rest + "e"
    if len(rest) > 1 and rest[-1] == rest[-2] and _shape(rest)[-1] == "c":
        return rest if rest[-1] in "lsz" else rest[:-1]
    return rest + "e" if _measure(rest) == 1 and _ends_short(rest) else rest


def _double_suffix(word: str) -> str:
    """Step 2."""
    while word.endswith("alli") and _measure(word[:-4]) > 0:
        word = word[:-2]
    return _replace(word, _RULES_2, lambda rest: _measure(word[:-3] if word[len(rest) :] == "logi" else rest) > 0)


def _final(word: str) -> str:
    """Steps 5a and 5b: a last e, and a double l."""
    if word.endswith("e"):
        m = _measure(word[:-1])
        if m > 1 or (m == 1 and not _ends_short(word[:-1])):
            word = word[:-1]
    return word[:-1] if word.endswith("ll") and _measure(word[:-1]) > 1 else word
