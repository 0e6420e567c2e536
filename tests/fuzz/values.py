"""Values that options are attacked with.

Numbers are small or far beyond any sensible range, never merely large: a thousand epochs are a legal request, and no hang.
"""

from __future__ import annotations

import re
from random import Random

NUMBERS = [
    "0", "-1", "1", "-0.0", "0.5", "1.5", "2147483648", "9223372036854775807", "18446744073709551616", "1" + "0" * 30,
    "-" + "9" * 30, "1e300", "-1e300", "1e-320", "1e999", "nan", "-nan", "inf", "-inf", "", " ", " 3 ", "1_0", "٣", "0x10",
    "3.", "three", "1,5", "9" * 5000, "−1", "½", "true", "None", "1e", "--", "\t",
]  # fmt: skip
TEXTS = [
    "", " ", "\n", "a b", "a,b", "=", "a=", "=a", "a=b", "a!=b", "(", ")", "()", '"', "'", "\\", "/", "..", "-", "--", "a" * 5000,
    "é", "日本", "\U0001f600", "\u202eabc", "\u200b", "\ud800", "%s", "{}", "{0}", "$HOME", "~", "*", "[", "[1]", "{", "a\tb",
    "\x1b[31m",
    "0", "-1", "1,2", "5,1", "1,1", "nan,inf", "1,2,3", "1e999,2", "0,5", "0.3sd", "nansd", "-1sd", "none", "NaN", "true", "null",
    "overall", "mean", "item", "system", "bleu", "eliza", "words", "minilm", "items.jsonl", "missing.jsonl", "a;b", ";", "+", "a+b",
    "serial", "processes", "processes:0", "processes:99999999999", "processes:1:1", "r0", "s0", "c0-s0",
]  # fmt: skip
_WORD = re.compile(r'[^\s(),="]+')


def quoted(value: str) -> str:
    """A value as a spec holds it: in quotes where it has signs of its own (a quote itself cannot be written).

    >>> quoted("5"), quoted("a b"), quoted("")
    ('5', '"a b"', '""')
    """
    return value if _WORD.fullmatch(value) or '"' in value else f'"{value}"'


def malformed(spec: str, chance: Random) -> str:
    """A spec that was cut, doubled, nested, unbalanced or misspelt."""
    at = chance.randrange(len(spec) + 1)
    deep = chance.choice([3, 40, 2000, 20000])
    return chance.choice(
        [
            spec[:at],
            spec[at:],
            spec + spec,
            spec[:at] + chance.choice('()=,"; \n\\/:é\U0001f600\ud800') + spec[at:],
            spec[:at] + chance.choice(TEXTS[:-10]) + spec[at:],
            spec.upper(),
            f"{spec}(",
            f"{spec})",
            f"{spec}()",
            f"{spec}(a=1,a=2)",
            f"{spec}(={spec})",
            f"{spec}(x={spec})",
            spec.split("(")[0] + "(tok=" * deep + "words" + ")" * deep,
            spec.split("(")[0] + "(encoder=" * 3 + "minilm" + ")" * 3,
            "(" * deep,
            ")" * deep,
            f'"{spec}"',
            f"./{spec}",
            f"{spec}/",
            f"{spec}\u0301",
        ]
    )
