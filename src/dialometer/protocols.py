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

    from dialometer.text.corpus import Corpus
    from dialometer.types import Turn

T = TypeVar("T")
R = TypeVar("R")
Level = Literal["item", "corpus"]
Facts = Mapping[str, "np.ndarray"]


@runtime_checkable
class Named(Protocol):
    """What every metric says about itself; fields of the dataclass are its options."""

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


class Judge(Metric, Protocol):
    """A metric trained on human ratings."""

    def fit(self, corpus: Corpus, target: np.ndarray, *, seed: int) -> Self: ...
    def save(self, folder: Path) -> None: ...


class Encoder(Protocol):
    """Distinct texts in, vectors out."""

    name: str
    width: int

    def encode(self, texts: Sequence[str]) -> np.ndarray: ...


class Bot(Protocol):
    """Batch first: n candidate replies for each context."""

    name: str

    def reply(self, contexts: Sequence[tuple[Turn, ...]], *, n: int, seed: int) -> list[list[str]]: ...


class Task(Protocol):
    """Work for an engine: ``open`` once per worker gives the function that is applied to items."""

    def open(self) -> Callable[[Any], Any]: ...


class Engine(Protocol):
    """Where work runs; results come back in the order of the items."""

    def map(self, task: Task, items: Iterable[Any]) -> Iterator[Any]: ...
