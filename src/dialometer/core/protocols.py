"""Protocols of metrics, judges, encoders, bots and engines: a class implements one by its methods, without inheriting.

A metric *measures* sufficient statistics per unit and *finishes* summed statistics into numbers. Sentence scores,
corpus scores, sharding and bootstrap follow from that pair of functions (docs/design/measure-finish.md).

Optional capabilities are protocols of their own at the end of this module: a class that has the attribute has the capability, and
callers ask ``isinstance(metric, HasFloor)``. Each says what is assumed where the attribute is missing.
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


# Optional capabilities


@runtime_checkable
class UsesFields(Protocol):
    """``uses``: fields of an example that are read where there are some. Default: those that it ``needs``."""

    @property
    def uses(self) -> frozenset[str]: ...


@runtime_checkable
class HasRecipeFacts(Protocol):
    """``recipe_facts()``: what its recipe says in addition to the options, such as the recipe of an encoder. Default: nothing."""

    def recipe_facts(self) -> dict[str, object]: ...


@runtime_checkable
class KnowsTrainingTexts(Protocol):
    """``seen()``: hashes of the texts that it or its parts were fitted on (uint64). Default: none."""

    def seen(self) -> np.ndarray: ...


@runtime_checkable
class Builds(Protocol):
    """``build(progress)``: computes the tables that it caches on disk, before it measures. Default: no such tables."""

    def build(self, progress: Progress) -> None: ...


@runtime_checkable
class HasFloor(Protocol):
    """``floor``: the value of a response without any match; NaN where there is none. Default: 0."""

    @property
    def floor(self) -> float: ...


@runtime_checkable
class HasVariants(Protocol):
    """``variants``: names of the published definitions that its option ``variant`` selects from. Default: none."""

    @property
    def variants(self) -> tuple[str, ...]: ...


@runtime_checkable
class Adjustable(Protocol):
    """``adjustable``: options that may still be changed when a fitted object is loaded. Default: none."""

    @property
    def adjustable(self) -> tuple[str, ...]: ...


@runtime_checkable
class Cautions(Protocol):
    """``caution(corpus)``: a warning if the corpus is unlike the training data, else an empty text. Default: no warning."""

    def caution(self, corpus: Corpus) -> str: ...


@runtime_checkable
class HasBaselines(Protocol):
    """``beside``: specs of judges that are reported in every table together with it. Default: none."""

    @property
    def beside(self) -> tuple[str, ...]: ...


@runtime_checkable
class HasTrainingNeeds(Protocol):
    """``sides``: fields that training needs in addition to those that scoring ``needs``. Default: none."""

    @property
    def sides(self) -> frozenset[str]: ...


@runtime_checkable
class HasCentre(Protocol):
    """``centre``: the mean of all word vectors of a source. Default: unknown."""

    @property
    def centre(self) -> np.ndarray: ...


@runtime_checkable
class CachesVectors(Protocol):
    """``keeps``: whether an encoder's vectors are cached on disk, because reading is faster than encoding. Default: no."""

    @property
    def keeps(self) -> bool: ...


@runtime_checkable
class Contextual(Protocol):
    """``contextual``: whether a likelihood depends on the context. Default: no; a response is then scored once for all contexts."""

    @property
    def contextual(self) -> bool: ...


@runtime_checkable
class Remote(Protocol):
    """``remote``: whether a bot runs outside of this process, so that the same call may give other replies. Default: no."""

    @property
    def remote(self) -> bool: ...


@runtime_checkable
class HasUsage(Protocol):
    """``usage()``: requests, tokens and money that a bot's calls have cost so far. Default: nothing is counted."""

    def usage(self) -> Mapping[str, Any]: ...


@runtime_checkable
class Closes(Protocol):
    """``close()``: ends processes and connections that a bot started. Default: there are none."""

    def close(self) -> None: ...


@runtime_checkable
class TrainsInParallel(Protocol):
    """``parallel``: whether training can be distributed over several processes. Default: no."""

    @property
    def parallel(self) -> bool: ...
