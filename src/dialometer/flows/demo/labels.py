"""How columns and data sets are called wherever the demo speaks of them: one name each."""

from __future__ import annotations

import re

from dialometer.stats.validation.length_bias import LENGTH_ONLY

NAMES = {"hybrid": "M_H", "am": "AM", "fm": "FM", "am-fm": "AM-FM", LENGTH_ONLY: "length alone"}
UNITS = {
    "hybrid": "sd of a worker's ratings; 0 = a worker's mean",
    "autojudge": "1 to 5",
}
DATA = {
    "ji2022_free_run1": "the free chats of Ji et al. (2022)",
    "dstc9_interactive": "DSTC9's interactive track",
    "convai2_volunteers": "ConvAI2's volunteers",
    "convai2_intermediate": "ConvAI2's intermediate round",
    "engage_dailydialog": "DailyDialog as rated by Ghazarian et al. (2020)",
    "zhao_dailydialog": "DailyDialog as rated by Zhao et al. (2020)",
    "gupta_dailydialog_multiref": "DailyDialog as rated by Gupta et al. (2019)",
    "grade_dailydialog": "DailyDialog as rated for GRADE",
    "usr_topicalchat": "Topical-Chat as rated for USR",
}
_COLUMN = re.compile(rf"(?<![\w-])(?:{'|'.join(sorted(map(re.escape, NAMES), key=len, reverse=True))})(?![\w-])")
_DATA = re.compile(rf"(?<!\w)(?:{'|'.join(sorted(DATA, key=len, reverse=True))})(?!\w)")


def shown(column: str) -> str:
    """A column's name on the page.

    >>> shown("hybrid"), shown("meteor")
    ('M_H', 'meteor')
    """
    return NAMES.get(column, column)


def renamed(sentence: str) -> str:
    """A sentence of another verb, with the names of this one for columns and data sets.

    >>> renamed("lower in words, hybrid by 0.3, am-fm by 0.1")
    'lower in words, M_H by 0.3, AM-FM by 0.1'
    """
    return _DATA.sub(lambda found: DATA[found[0]], _COLUMN.sub(lambda found: NAMES[found[0]], sentence))


def listed(names: list[str]) -> str:
    """As a sentence lists them.

    >>> listed(["a"]), listed(["a", "b", "c"])
    ('a', 'a, b and c')
    """
    *first, last = names
    return f"{', '.join(first)} and {last}" if first else last
