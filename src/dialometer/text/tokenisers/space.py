"""``space``: cut at every single space, as the COCO ROUGE code does; nothing between two spaces is a token too."""

from typing import ClassVar

from dialometer.text.tokenisers.base import Tokeniser

NOTHING = "␀"


class Space(Tokeniser):
    """``str.split(" ")``, with a visible sign for the empty token.

    >>> Space().split("well  then ")
    ['well', '␀', 'then', '␀']
    """

    name: ClassVar[str] = "space"

    def split(self, text: str) -> list[str]:
        """Cut at each space."""
        return [token or NOTHING for token in text.split(" ")]
