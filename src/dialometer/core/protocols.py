"""Protocols of metrics, judges, encoders, bots and engines: a class implements one by its methods, without inheriting.

A metric *measures* sufficient statistics per unit and *finishes* summed statistics into numbers. Sentence scores,
corpus scores, sharding and bootstrap follow from that pair of functions (docs/design/measure-finish.md).

Optional capabilities are protocols of their own, in ``core.capabilities``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal, Protocol, Self, TypeVar, runtime_checkable

if TYPE_CHECKING:
    from pathlib import Path

    import numpy as np

    from dialometer.core.types import Turn
    from dialometer.text.corpus import Corpus

T = TypeVar("T")
R = TypeVar("R")
Level = Literal["item", "corpus"]
Facts = Mapping[str, "np.ndarray"]
Progress = Callable[[str, int, int], None]


@runtime_checkable
class Named(Protocol):
    """The attributes of every metric; the fields of its dataclass are its options.

    Optional: ``UsesFields``, ``HasRecipeFacts``, ``KnowsTrainingTexts``, ``Builds``, ``HasFloor``, ``HasVariants``.
    """

    name: str
    version: int
    unit: Literal["response", "dialogue"]
    needs: frozenset[str]

    @property
    def columns(self) -> tuple[str, ...]: ...


@runtime_checkable
class Metric(Named, Protocol):
    """Additive: rows of statistics, then a formula over their sum."""

    def measure(self, corpus: Corpus) -> np.ndarray:
        """(units, k) float64; an unscored unit is a row of zeros."""
        ...

    def finish(self, totals: np.ndarray, *, level: Level) -> np.ndarray:
        """(..., k) → (..., columns); rows of zeros count become NaN."""
        ...


@runtime_checkable
class SetMetric(Named, Protocol):
    """Not additive: one number for a whole set of rows, such as distinct-n."""

    def score(self, corpus: Corpus, rows: np.ndarray) -> np.ndarray: ...


@runtime_checkable
class Prepares(Protocol):
    """A metric that needs statistics of the whole corpus, such as document frequencies, before it can measure a part of it.

    ``prepare`` computes them for the rows of whole documents of one system; ``merge`` adds up those of disjoint documents; ``bind``
    returns the metric that measures with them, given one entry per system.
    """

    def prepare(self, corpus: Corpus, rows: np.ndarray) -> Facts: ...
    def merge(self, parts: Sequence[Facts]) -> Facts: ...
    def bind(self, facts: Mapping[str, Facts]) -> Metric: ...


@runtime_checkable
class Explains(Protocol):
    """A metric that can show the computation of one response's score."""

    def explain(self, corpus: Corpus, row: int) -> list[str]: ...


@runtime_checkable
class Judge(Metric, Protocol):
    """A metric trained on human ratings (docs/design/judges.md).

    ``target`` has a number per example of the corpus, NaN where there is no rating; ``corpus.documents`` are never split where
    ``fit`` selects something by inner folds. ``facts`` holds what was selected and estimated, for the judge card.
    Optional: ``Cautions``, ``HasBaselines``, ``HasTrainingNeeds``.
    """

    @property
    def fitted(self) -> bool: ...
    @property
    def facts(self) -> dict[str, Any]: ...
    def fit(self, corpus: Corpus, target: np.ndarray, *, seed: int = 0, progress: Progress | None = None) -> Self: ...
    def save(self, folder: Path) -> None: ...
    @classmethod
    def load(cls, folder: Path) -> Self: ...
    def seen(self) -> np.ndarray: ...


@runtime_checkable
class Designs(Protocol):
    """A judge of dialogues that computes feature columns once, and then fits any ratings of them from these columns."""

    def look(self, corpus: Corpus) -> np.ndarray:
        """(dialogues, columns), in order of appearance."""
        ...

    def design(self, columns: np.ndarray, systems: Sequence[str], *, seed: int = 0) -> Any:
        """What all fits to these rows share; its ``solve(ratings)`` gives a fit with ``predict`` and ``slopes`` of columns."""
        ...


@runtime_checkable
class Fits(Protocol):
    """A component that is fitted on dialogues, each a list of utterances (docs/design/fitted.md).

    ``work`` is a folder for checkpoints: the same call after a kill continues from there. ``seen`` gives the hashes of the texts it
    was fitted on (``text.training_overlap``), from which overlap with scored items is computed.
    """

    name: str

    @property
    def fitted(self) -> bool:
        """Whether it can be used: it holds fitted parameters, or names the file that has them."""
        ...

    def fit(
        self, talks: Sequence[Sequence[str]], *, seed: int = 0, work: Path | None = None, progress: Progress | None = None
    ) -> Self: ...
    def save(self, folder: Path) -> None: ...
    @classmethod
    def load(cls, folder: Path) -> Self: ...
    def seen(self) -> np.ndarray: ...


@runtime_checkable
class WordVectors(Protocol):
    """A vector per word; unknown words have none."""

    name: str
    version: int

    @property
    def width(self) -> int: ...
    @property
    def recipe(self) -> str: ...
    def look_up(self, words: Sequence[str]) -> tuple[np.ndarray, np.ndarray]:
        """(n, width) float32 vectors, zeros for unknown words, and which words are known (n bool)."""
        ...


@runtime_checkable
class Encoder(Protocol):
    """Distinct texts in, vectors out; batch-invariant to 1e-5 of a vector's largest number. Optional: ``CachesVectors``."""

    name: str
    version: int

    @property
    def width(self) -> int: ...
    @property
    def recipe(self) -> str: ...
    def encode(self, texts: Sequence[str]) -> np.ndarray:
        """(n, width) float32; zeros for a text without any known word."""
        ...

    def coverage(self, texts: Sequence[str]) -> np.ndarray:
        """(n, 2) int64: known words and words of each text."""
        ...


@runtime_checkable
class ContextEncoder(Encoder, Protocol):
    """An encoder that reads a context turn by turn: the vector of a context is its state after the last turn."""

    def encode_contexts(self, contexts: Sequence[Sequence[str]]) -> np.ndarray:
        """(n, width) float32; zeros for a context without any known word."""
        ...


@runtime_checkable
class TokenEncoder(Protocol):
    """An encoder that also gives a vector per token."""

    def tokens(self, texts: Sequence[str]) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Vectors (m, width) float32, ids of the tokens (m int32), and where each text starts (n + 1 int64)."""
        ...

    def token_ids(self, texts: Sequence[str]) -> tuple[np.ndarray, np.ndarray]:
        """The same ids and starts, without computing vectors."""
        ...


@runtime_checkable
class Likelihood(Protocol):
    """A language model that gives the log-probability of responses. Optional: ``Contextual``."""

    name: str
    version: int

    @property
    def recipe(self) -> str: ...
    def logprob(self, contexts: Sequence[Sequence[str]], responses: Sequence[str]) -> tuple[np.ndarray, np.ndarray]:
        """Σ ln p and the number of events summed, end of sentence included, per response."""
        ...


@runtime_checkable
class Emotion(Protocol):
    """The predicted emotion of a text, as a distribution over the 64 emojis of ``text.vectors.emojis``."""

    name: str
    version: int

    @property
    def recipe(self) -> str: ...
    def distribution(self, texts: Sequence[str]) -> np.ndarray:
        """(n, 64) float32, rows that sum to 1."""
        ...

    def sentiment(self, texts: Sequence[str]) -> np.ndarray:
        """n float64: Σ weight · p."""
        ...


@runtime_checkable
class HearingEmotion(Emotion, Protocol):
    """An emotion classifier on top of a sentence encoder; ``encode`` can supply vectors that were computed before."""

    @property
    def hears(self) -> Encoder: ...
    def distribution(
        self, texts: Sequence[str], *, encode: Callable[[Sequence[str]], np.ndarray] | None = None
    ) -> np.ndarray: ...


@runtime_checkable
class Bot(Protocol):
    """Batch first: n candidate replies for each context, best first (docs/design/bots.md).

    ``seed`` is one number, or one per context: each context has a random generator of its own (``core.seeds``), so that replies are
    batch-invariant. Optional: ``Remote``, ``HasUsage``, ``Closes``.
    """

    name: str
    version: int

    @property
    def recipe(self) -> str: ...
    def reply(
        self, contexts: Sequence[tuple[Turn, ...]], *, n: int = 1, seed: int | Sequence[int] = 0
    ) -> list[list[str]]: ...


class Task(Protocol):
    """Work for an engine: ``open`` is called once per worker and returns the function that is applied to items."""

    def open(self) -> Callable[[Any], Any]: ...


class Engine(Protocol):
    """Executes a task on items, here or in other processes; results come in the order of the items."""

    def map(self, task: Task, items: Iterable[Any]) -> Iterator[Any]: ...
