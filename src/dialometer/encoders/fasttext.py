"""``fasttext``: the text form (.vec) of fastText vectors; subwords are not used (Bojanowski et al. 2017)."""

from dataclasses import dataclass
from typing import ClassVar

from dialometer.encoders._vector_files.reader import VectorFile


@dataclass(frozen=True)
class Fasttext(VectorFile):
    """``fasttext(path=FILE)``, plain or gzip; ``keep=needed`` keeps only the words that are asked for."""

    name: ClassVar[str] = "fasttext"
    forms: ClassVar[tuple[str, ...]] = ("headed",)
