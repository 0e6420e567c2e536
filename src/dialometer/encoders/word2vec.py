"""``word2vec``: word2vec's binary or text form, found out from the file (Mikolov et al. 2013)."""

from dataclasses import dataclass
from typing import ClassVar

from dialometer.encoders._vector_files.reader import VectorFile


@dataclass(frozen=True)
class Word2vec(VectorFile):
    """``word2vec(path=FILE)``, plain or gzip; ``keep=needed`` keeps only the words that are asked for."""

    name: ClassVar[str] = "word2vec"
    forms: ClassVar[tuple[str, ...]] = ("binary", "headed")
