"""What a text names: countries, days and months, numbers, and words capitalised inside a sentence.

Chat is often all lower case, where capitals do not mark names: countries and calendar words are listed, others are missed.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

Names = Mapping[str, frozenset[str]]

_COUNTRIES = """
afghanistan albania algeria andorra angola argentina armenia australia austria azerbaijan bahamas bahrain bangladesh
barbados belarus belgium belize benin bhutan bolivia bosnia botswana brazil brunei bulgaria burundi cambodia cameroon
canada chile china colombia congo croatia cuba cyprus czechia denmark djibouti dominica ecuador egypt england eritrea
estonia ethiopia fiji finland france gabon gambia germany ghana greece grenada guatemala guinea guyana haiti honduras
hungary iceland india indonesia iran iraq ireland israel italy jamaica japan kazakhstan kenya kiribati kosovo kuwait
kyrgyzstan laos latvia lebanon lesotho liberia libya liechtenstein lithuania luxembourg madagascar malawi malaysia
maldives mali malta mauritania mauritius mexico micronesia moldova monaco mongolia montenegro morocco mozambique myanmar
namibia nauru nepal netherlands nicaragua niger nigeria norway oman pakistan palau palestine panama paraguay peru
philippines poland portugal qatar romania russia rwanda samoa scotland senegal serbia seychelles singapore slovakia
slovenia somalia spain sudan suriname sweden switzerland syria taiwan tajikistan tanzania thailand togo tonga tunisia
turkmenistan tuvalu uganda ukraine uruguay uzbekistan vanuatu venezuela vietnam wales yemen zambia zimbabwe america
britain uk usa
"""
_TIMES = """
monday tuesday wednesday thursday friday saturday sunday january february april june july august september october november december
today tomorrow yesterday tonight
"""  # may and march are words of their own
_NUMBERS = """
zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen
"""

_LISTED = dict.fromkeys(_COUNTRIES.split(), "place") | dict.fromkeys(_TIMES.split(), "time")
_SPELT = {word: str(number) for number, word in enumerate(_NUMBERS.split())}
_TENS = "twenty thirty forty fifty sixty seventy eighty ninety hundred"
_SPELT |= {word: str(number) for number, word in zip(range(20, 101, 10), _TENS.split(), strict=True)}
_SAME = {"uk": "britain", "usa": "america"}  # two names of one place
_WORD = re.compile(r"\d+(?:[.,:]\d+)*|[^\W\d_]+(?:['’][^\W\d_]+)*|[.!?…]", re.UNICODE)
_THOUSANDS = re.compile(r",(?=\d{3}(\D|$))")
_PRONOUNS = re.compile(r"i(['’]\w+)?$", re.IGNORECASE)


def entities(text: str) -> Names:
    """The names of each kind in a text.

    >>> {kind: sorted(found) for kind, found in entities("yes we deliver to ireland in 3 days").items()}
    {'place': ['ireland'], 'number': ['3']}
    """
    found: dict[str, set[str]] = {}
    starts = True  # a capital at the start of a sentence names nothing
    for word in _WORD.findall(text):
        low = word.casefold()
        if word in ".!?…":
            starts = True
            continue
        if word[0].isdigit():
            found.setdefault("number", set()).add(_THOUSANDS.sub("", low).removesuffix(":00"))
        elif low in _LISTED:
            found.setdefault(_LISTED[low], set()).add(_SAME.get(low, low))
        elif low in _SPELT and low != "one":  # "one" is a pronoun as often as a number
            found.setdefault("number", set()).add(_SPELT[low])
        elif not starts and word[0].isupper() and not word.isupper() and not _PRONOUNS.match(word):
            found.setdefault("name", set()).add(low)
        starts = False
    return {kind: frozenset(words) for kind, words in found.items()}


def misnames(response: Names, *others: Names) -> bool:
    """The response names something of a kind that the others name too, and none of them has what it names.

    >>> misnames(entities("to ireland"), entities("not to serbia"), entities("do you deliver to serbia ?"))
    True
    >>> misnames(entities("on monday"), entities("not to serbia"))
    False
    """
    for kind, named in response.items():
        there = frozenset().union(*(other.get(kind, frozenset()) for other in others))
        if there and not named & there:
            return True
    return False
