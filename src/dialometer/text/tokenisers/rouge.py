"""``rouge``: the tokeniser of Google's rouge-score, lower-case runs of a–z and 0–9, without its stemmer."""

import re
from typing import ClassVar

from dialometer.kernels.split import RUNS
from dialometer.text.tokenisers.base import Tokeniser, byte_classes

_RUN = re.compile("[a-z0-9]+")
_NOT_IN_RUNS = "".join(chr(byte) for byte in range(128) if not chr(byte).isalnum())


class RougeWords(Tokeniser):
    """Lower-case runs of letters and digits.

    >>> RougeWords().split("Don't go, café-owner no. 7!")
    ['don', 't', 'go', 'caf', 'owner', 'no', '7']
    """

    name: ClassVar[str] = "rouge"
    lower: ClassVar[bool] = True
    rules: ClassVar[int] = RUNS
    utf8: ClassVar[bool] = True
    classes: ClassVar[bytes] = byte_classes(beyond="SPACE", SPACE=_NOT_IN_RUNS)
    # the two characters beyond ASCII whose lower case holds an ASCII letter: the Kelvin sign and I with a dot
    slow_marks: ClassVar[tuple[bytes, ...]] = ("\u212a".encode(), "\u0130".encode())

    def split(self, text: str) -> list[str]:
        """All runs of a–z and 0–9 in the lower-cased text."""
        return _RUN.findall(text.lower())
