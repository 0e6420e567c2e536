"""``glove``: GloVe's text form, a word and its numbers a line; the word may hold spaces (Pennington et al. 2014)."""

from dataclasses import dataclass
from typing import ClassVar

from dialometer.encoders._vector_files.reader import VectorFile


@dataclass(frozen=True)
class Glove(VectorFile):
    """``glove(path=FILE)``, plain or gzip; ``keep=needed`` keeps only the words that are asked for."""

    name: ClassVar[str] = "glove"
    forms: ClassVar[tuple[str, ...]] = ("bare", "headed")
