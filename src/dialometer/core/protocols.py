"""The shapes that skills agree on; a class takes part by having the right methods, not by inheriting.

A metric *measures* sufficient statistics per unit and *finishes* summed statistics into numbers. Sentence scores,
corpus scores, sharding and bootstrap follow from that pair of functions (docs/design/measure-finish.md).
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
    """What every metric says about itself; fields of the dataclass are its options.

    It may have more: ``uses``, what it looks at where there is some (as ``needs`` says what there must be); ``recipe_facts()``,
    what its recipe says beside the options; ``seen()``, the hashes of the texts that its parts were fitted on; ``build(progress)``,
    which makes tables that it keeps in the cache before it measures.
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
    """Not additive: a number of a whole set of rows, such as distinct-n."""

    def score(self, corpus: Corpus, rows: np.ndarray) -> np.ndarray: ...


@runtime_checkable
class Prepares(Protocol):
    """A metric that needs facts of a whole collection before it can measure a part of it.

    ``prepare`` sees the rows of whole documents of one system; ``merge`` adds up facts of disjoint documents; ``bind`` returns
    the metric that measures with them, given one entry per system.
    """

    def prepare(self, corpus: Corpus, rows: np.ndarray) -> Facts: ...
    def merge(self, parts: Sequence[Facts]) -> Facts: ...
    def bind(self, facts: Mapping[str, Facts]) -> Metric: ...


@runtime_checkable
class Explains(Protocol):
    """A metric that can show the arithmetic behind one response's score."""

    def explain(self, corpus: Corpus, row: int) -> list[str]: ...


@runtime_checkable
class Judge(Metric, Protocol):
    """A metric trained on human ratings (docs/design/judges.md).

    ``target`` has a number per example of the corpus, NaN where nobody rated it; ``corpus.documents`` are kept whole wherever
    ``fit`` chooses something by folds of its own. ``facts`` tells what was chosen and what was learnt, for the card. It may have
    ``caution(corpus)``: a sentence if these examples are unlike those it was trained on, else nothing; ``beside``, specs of judges
    that belong in every table beside it; ``sides``, what training needs where a head that stands in for it needs less.
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
    """A judge of conversations that measures them once, and then fits any ratings of them by arithmetic on the columns."""

    def look(self, corpus: Corpus) -> np.ndarray:
        """(conversations, columns), in order of appearance."""
        ...

    def design(self, columns: np.ndarray, systems: Sequence[str], *, seed: int = 0) -> Any:
        """What fits to these rows share; its ``solve(ratings)`` gives a form that has ``predict`` and ``slopes`` of columns."""
        ...


@runtime_checkable
class Fits(Protocol):
    """What is learnt from text: conversations in, lists of utterances (docs/design/fitted.md).

    ``work`` is a folder for checkpoints: the same call after a kill goes on from there. ``seen`` gives the hashes of the texts it
    was fitted on (``text.seen``), so that overlap with what is scored can be told.
    """

    name: str

    @property
    def fitted(self) -> bool:
        """Whether it can be used as it is: it holds what was learnt, or names the file that it comes from."""
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
    """Distinct texts in, vectors out; the vector of a text does not depend on the other texts, to 1e-5 of its largest number.

    It may say ``keeps``: whether its vectors are worth keeping on disk, because reading is quicker than encoding anew.
    """

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
    """An encoder that hears a conversation turn by turn: the vector of a context is its state after the last one."""

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
        """The same ids and starts, without the work of making vectors."""
        ...


@runtime_checkable
class Likelihood(Protocol):
    """How probable responses are.

    It may say ``contextual``: whether it looks at the context; if not, a response is scored once for all contexts.
    """

    name: str
    version: int

    @property
    def recipe(self) -> str: ...
    def logprob(self, contexts: Sequence[Sequence[str]], responses: Sequence[str]) -> tuple[np.ndarray, np.ndarray]:
        """Σ ln p and the number of events summed, end of sentence included, per response."""
        ...


@runtime_checkable
class Emotion(Protocol):
    """What a text feels like, over the 64 emojis of ``text.emojis``."""

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
    """An emotion that asks a sentence encoder, and takes the vectors of texts from whoever has some of them already."""

    @property
    def hears(self) -> Encoder: ...
    def distribution(
        self, texts: Sequence[str], *, encode: Callable[[Sequence[str]], np.ndarray] | None = None
    ) -> np.ndarray: ...


@runtime_checkable
class Bot(Protocol):
    """Batch first: n candidate replies for each context, best first (docs/design/bots.md).

    ``seed`` is one number, or one per context: each context draws from a stream of its own (``text.chance``), so that its replies
    do not depend on its company. A bot may have more: ``remote``, that the same call may give other replies; ``usage()``, what
    its calls have cost so far; ``close()``, to end what it started.
    """

    name: str
    version: int

    @property
    def recipe(self) -> str: ...
    def reply(
        self, contexts: Sequence[tuple[Turn, ...]], *, n: int = 1, seed: int | Sequence[int] = 0
    ) -> list[list[str]]: ...


class Task(Protocol):
    """Work for an engine: ``open`` once per worker gives the function that is applied to items."""

    def open(self) -> Callable[[Any], Any]: ...


class Engine(Protocol):
    """Where work runs; results come back in the order of the items."""

    def map(self, task: Task, items: Iterable[Any]) -> Iterator[Any]: ...
