"""``13a``: the tokeniser of mteval-v13a, sacrebleu's default; case is kept."""

import re
from typing import ClassVar

from dialometer.kernels.split import MTEVAL
from dialometer.text.tokenisers.base import Tokeniser, byte_classes

_SYMBOLS = '{|}~[\\]^_` !"#$%&()*+:;<=>?@/'
_PASSES = (
    (re.compile(f"([{re.escape(_SYMBOLS)}])"), r" \1 "),
    (re.compile(r"([^0-9])([.,])"), r"\1 \2 "),
    (re.compile(r"([.,])([^0-9])"), r" \1 \2"),
    (re.compile(r"([0-9])(-)"), r"\1 \2 "),
)
_ENTITIES = (("&quot;", '"'), ("&amp;", "&"), ("&lt;", "<"), ("&gt;", ">"))


class ThirteenA(Tokeniser):
    """mteval-v13a for Western languages.

    >>> ThirteenA().split("It's 3.5%, e.g. 10-12...")
    ["It's", '3.5', '%', ',', 'e', '.', 'g', '.', '10', '-', '12', '.', '.', '.']
    """

    name: ClassVar[str] = "13a"
    rules: ClassVar[int] = MTEVAL
    utf8: ClassVar[bool] = True
    classes: ClassVar[bytes] = byte_classes(ALONE=_SYMBOLS.replace(" ", ""), POINT=".,", DASH="-")
    slow_marks: ClassVar[tuple[bytes, ...]] = (b"\n", b"<skipped>", b"&quot;", b"&amp;", b"&lt;", b"&gt;")

    def split(self, text: str) -> list[str]:
        """Join lines, resolve the four entities, then the passes in mteval's order."""
        line = text.rstrip().replace("<skipped>", "").replace("-\n", "").replace("\n", " ")
        if "&" in line:
            for entity, character in _ENTITIES:
                line = line.replace(entity, character)
        line = f" {line} "
        for pattern, replacement in _PASSES:
            line = pattern.sub(replacement, line)
        return line.split()
