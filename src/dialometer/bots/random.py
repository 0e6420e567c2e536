"""``random``: any utterance of the text that it was fitted on, as the random response of Liu et al. (2016, §5.1)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from itertools import chain
from pathlib import Path
from typing import ClassVar, Self

import numpy as np

from dialometer.core.artifacts import digest, open_artifact, save_artifact
from dialometer.core.errors import DataError, NeedsError, SpecError
from dialometer.core.protocols import Progress
from dialometer.core.recipes import short
from dialometer.core.seeds import seeds_for, streams
from dialometer.core.types import Turn
from dialometer.text.lines import file_digest, read_lines
from dialometer.text.texts import Texts
from dialometer.text.training_overlap import seen_texts


@dataclass(frozen=True)
class Random:
    """Draws with replacement: what was said often is drawn often. ``text`` names a file, one utterance a line.

    >>> bot = Random().fit([["Tea ?", "Tea ?"]])
    >>> bot.reply([()], n=2)
    [['Tea ?', 'Tea ?']]
    """

    text: str = field(default="", metadata={"recipe": False})  # the recipe has a hash of the utterances instead
    pool: Texts | None = field(default=None, repr=False, compare=False)

    name: ClassVar[str] = "random"
    version: ClassVar[int] = 1

    @property
    def recipe(self) -> str:
        """A hash of the utterances."""
        pool = self._pool()
        return short(self, digest(pool.bytes, pool.starts))

    @property
    def fitted(self) -> bool:
        """Whether it holds utterances, or names the file that they come from."""
        return self.pool is not None or bool(self.text)

    def fit(
        self, talks: Sequence[Sequence[str]], *, seed: int = 0, work: Path | None = None, progress: Progress | None = None
    ) -> Self:
        """Keep every utterance that has words."""
        if self.text:
            raise SpecError("random(text=…) names its own source", "leave it out to fit on other texts")
        said = [text for text in chain.from_iterable(talks) if text.strip()]
        if not said:
            raise NeedsError("random cannot be fitted on a text without words", "give a file with one utterance a line")
        if progress:
            progress("fitting random", 1, 1)
        return replace(self, pool=Texts.of(said))

    def reply(self, contexts: Sequence[tuple[Turn, ...]], *, n: int = 1, seed: int | Sequence[int] = 0) -> list[list[str]]:
        """n draws per context."""
        pool = self._pool()
        draws = streams(seeds_for(seed, contexts))
        return [[pool[row] for row in draw.integers(len(pool), size=n).tolist()] for draw in draws]

    def save(self, folder: Path) -> None:
        """thing.json and arrays."""
        pool = self._pool()
        save_artifact(folder, "bot", replace(self, text=""), {"texts": pool.bytes, "starts": pool.starts}, texts=len(pool))

    @classmethod
    def load(cls, folder: Path) -> Self:
        """Saved utterances."""
        card, arrays = open_artifact(folder, cls)
        return cls(**card["options"], pool=whole_texts(arrays["texts"], arrays["starts"]))

    def seen(self) -> np.ndarray:
        """Hashes of the utterances."""
        return seen_texts(self._pool())

    def _pool(self) -> Texts:
        if self.pool is not None:
            return self.pool
        if not self.text:
            raise NeedsError(
                "random has not been fitted on utterances to choose from",
                "random(text=FILE), or dialometer train random FILE… and the folder it prints as the spec",
            )
        return _read(self.text, file_digest(self.text))


def whole_texts(letters: np.ndarray, starts: np.ndarray) -> Texts:
    """Texts from saved arrays, which must fit together and be one at least."""
    made = Texts.checked(letters, starts)
    if not len(made):
        raise ValueError("it holds no texts")
    return made


@lru_cache(maxsize=4)
def _read(path: str, content: str) -> Texts:
    """The lines of a file; ``content`` is its digest."""
    lines = read_lines(path)
    if not lines:
        raise DataError("holds no utterance to choose", file=path, hint="one utterance a line")
    return Texts.of(lines)
