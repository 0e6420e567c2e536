"""``whitespace``: the text as it is, cut at white space; for text that was tokenised elsewhere."""

from typing import ClassVar

from dialometer.kernels.split import RUNS
from dialometer.text.tokenisers.base import Tokeniser, byte_classes


class Whitespace(Tokeniser):
    """Cut at white space.

    >>> Whitespace().split("We 're sorry ,  <USER> !")
    ['We', "'re", 'sorry', ',', '<USER>', '!']
    """

    name: ClassVar[str] = "whitespace"
    rules: ClassVar[int] = RUNS
    utf8: ClassVar[bool] = True
    classes: ClassVar[bytes] = byte_classes()

    def split(self, text: str) -> list[str]:
        """``str.split``: any Unicode white space parts tokens."""
        return text.split()
