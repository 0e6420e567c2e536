"""``broken``: a sound metric, and one that is wrong in one way for every check of the exam."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from dialometer.kernels import jit


@dataclass(frozen=True)
class Sound:
    """Characters of a response, times ``step``."""

    step: int = 1

    name: ClassVar[str] = "broken"
    version: ClassVar[int] = 1
    unit: ClassVar[str] = "response"
    needs: ClassVar[frozenset[str]] = frozenset({"reference"})
    columns: ClassVar[tuple[str, ...]] = ("broken",)

    def measure(self, corpus):
        """[scored, characters], nothing without a reference."""
        scored = corpus.references.counts() > 0
        characters = corpus.texts.characters()[corpus.response]
        return np.stack([np.ones(len(corpus)), self.step * characters], 1) * scored[:, None]

    def finish(self, totals, *, level):
        """The mean."""
        with np.errstate(invalid="ignore"):
            return totals[..., 1:] / totals[..., :1]

    def explain(self, corpus, row):
        """One line."""
        return [f"{len(corpus.texts[int(corpus.response[row])])} characters"]


@dataclass(frozen=True)
class ByPlace(Sound):
    """The place of an item counts."""

    def measure(self, corpus):
        return super().measure(corpus) * np.stack([np.ones(len(corpus)), np.arange(len(corpus))], 1)


@dataclass(frozen=True)
class ByShard(Sound):
    """The company of an item counts."""

    def measure(self, corpus):
        return super().measure(corpus) * [1, len(corpus)]


@dataclass(frozen=True)
class RowTooFew(Sound):
    """The first item is lost."""

    def measure(self, corpus):
        return super().measure(corpus)[1:]


@dataclass(frozen=True)
class HalfPrecise(Sound):
    """Statistics in 32 bits."""

    def measure(self, corpus):
        return super().measure(corpus).astype(np.float32)


@dataclass(frozen=True)
class DropsEmpty(Sound):
    """An empty response is not scored."""

    def measure(self, corpus):
        return super().measure(corpus) * (corpus.texts.characters()[corpus.response] > 0)[:, None]


@dataclass(frozen=True)
class NeverAbsent(Sound):
    """Without a reference the score is 0."""

    def finish(self, totals, *, level):
        return (
            np.nan_to_num(super().finish(totals, level=level)) if level == "item" else super().finish(totals, level=level)
        )


@dataclass(frozen=True)
class NothingIsZero(Sound):
    """No item at all gives 0."""

    def finish(self, totals, *, level):
        return (
            np.nan_to_num(super().finish(totals, level=level)) if level == "corpus" else super().finish(totals, level=level)
        )


@dataclass(frozen=True)
class TwoKernels(Sound):
    """Compiled code gives another number than plain Python, in the last digits."""

    def measure(self, corpus):
        return super().measure(corpus) * [1, 1 + 1e-15 * jit.worth_compiling(self.finish, 0)]


@dataclass(frozen=True)
class Doubles(Sound):
    """The option that it keeps is not the one that it was given."""

    def __post_init__(self):
        object.__setattr__(self, "step", 2 * self.step)


@dataclass(frozen=True)
class Misnamed(Sound):
    """Its name is not the one it is listed under."""

    name: ClassVar[str] = "sound"


@dataclass(frozen=True)
class NoUnit(Sound):
    """Measures something that there is not."""

    unit: ClassVar[str] = "word"


@dataclass
class Changeable:
    """Its options may change after its recipe was written."""

    step: int = 1
    name: ClassVar[str] = "broken"
    unit: ClassVar[str] = "response"
    columns: ClassVar[tuple[str, ...]] = ("broken",)


@dataclass(frozen=True)
class Silent(Sound):
    """Explains nothing."""

    def explain(self, corpus, row):
        return []


@dataclass(frozen=True)
class TwoLines(Sound):
    """Explains in one string of two lines."""

    def explain(self, corpus, row):
        return ["characters:\n3"]
