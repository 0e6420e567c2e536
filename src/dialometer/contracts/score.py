"""score: which files, by which metrics; per system and column the mean with its interval, and the corpus value."""

from __future__ import annotations

import math
from dataclasses import dataclass
from pathlib import Path

import msgspec

from dialometer.contracts.base import normalise_request
from dialometer.contracts.result import Annotated, Record, doc
from dialometer.core.files import MAX_LINE
from dialometer.core.ranges import Bytes, Draws, Seed, Size
from dialometer.core.types import Scores


@dataclass(frozen=True, slots=True)
class ScoreRequest:
    """What to score, with what.

    With the format "parallel" each of ``inputs`` holds the responses of a system, and ``references`` are files of references.
    """

    inputs: tuple[str, ...]
    metrics: tuple[str, ...]
    tok: str = ""
    format: str = ""
    max_line: Bytes = MAX_LINE
    allow_empty_references: bool = False
    skip_incomplete: bool = False
    items: str = "parquet"
    resamples: Draws = 1000
    seed: Seed = 0
    shard: Size = 50_000
    engine: str = "serial"
    output: str = ""
    cache: bool = True
    references: tuple[str, ...] = ()
    fresh: bool = False

    def __post_init__(self) -> None:
        normalise_request(self)


@dataclass(frozen=True, slots=True)
class ScoreCell:
    """One system under one column, for computing: a number that is undefined is NaN; intervals are 95%."""

    mean: float
    low: float
    high: float
    n: int
    floor: float
    corpus: float
    corpus_low: float
    corpus_high: float


class ItemMean(Record, frozen=True, kw_only=True):
    """The mean over the items of a system under one column."""

    mean: Annotated[float | None, doc("mean of the item scores; the corpus value under a metric of whole sets")]
    low: Annotated[float | None, doc("lower bound of the 95% interval")]
    high: Annotated[float | None, doc("upper bound of the 95% interval")]
    n: Annotated[int, doc("items that have a score")]
    floor: Annotated[float | None, doc("share of items at the metric's lowest value; null for metrics without one")]


class CorpusInterval(Record, frozen=True, kw_only=True):
    """The interval of a corpus value."""

    low: Annotated[float | None, doc("lower bound of the 95% interval")]
    high: Annotated[float | None, doc("upper bound of the 95% interval")]


class SummaryCell(Record, frozen=True, kw_only=True):
    """One system under one column in ``summary.json``: mean over items and corpus value, with 95% intervals."""

    mean: Annotated[float | None, doc("mean of the item scores")]
    low: Annotated[float | None, doc("lower bound of the mean's interval")]
    high: Annotated[float | None, doc("upper bound of the mean's interval")]
    n: Annotated[int, doc("items that have a score")]
    floor: Annotated[float | None, doc("share of items at the metric's lowest value")]
    corpus: Annotated[float | None, doc("value of the whole set of responses")]
    corpus_low: Annotated[float | None, doc("lower bound of the corpus value's interval")]
    corpus_high: Annotated[float | None, doc("upper bound of the corpus value's interval")]


class ScoreSummary(Record, frozen=True, kw_only=True):
    """The file ``summary.json`` of a finished run."""

    n: Annotated[int, doc("items")]
    cells: Annotated[dict[str, dict[str, SummaryCell]], doc("by system and column")]
    overlap: Annotated[
        list[dict[str, float] | None], doc("for each metric the shares of responses and references it was fitted on")
    ]
    cautions: Annotated[list[str], doc("warnings of trained metrics about items unlike their training data")] = (
        msgspec.field(default_factory=list)
    )


class ScoreResult(Record, frozen=True, kw_only=True, omit_defaults=True):
    """The numbers of a run, by system and column, with the recipe of each column."""

    run: Annotated[str, doc("the run folder")]
    n: Annotated[int, doc("items")]
    systems: Annotated[dict[str, dict[str, ItemMean]], doc("means over items, by system and column")]
    corpus: Annotated[dict[str, dict[str, float | None]], doc("corpus values, by system and column")]
    corpus_intervals: Annotated[dict[str, dict[str, CorpusInterval]], doc("their 95% intervals")]
    recipes: Annotated[dict[str, str], doc("what determines the numbers of a column, by column")]
    overlap: Annotated[
        dict[str, dict[str, float]],
        doc("by spec of a trained metric the shares of these responses and references that it was fitted on"),
    ] = msgspec.field(default_factory=dict)

    @property
    def cells(self) -> dict[str, dict[str, ScoreCell]]:
        """Means and corpus values joined, for computing: undefined numbers are NaN."""
        return {system: {column: self._cell(system, column) for column in row} for system, row in self.systems.items()}

    @property
    def items(self) -> str:
        """The file with the scores of every item."""
        folder = Path(self.run)
        return str(next((path for path in map(folder.joinpath, ITEM_FILES) if path.exists()), folder / ITEM_FILES[0]))

    def scores(self) -> Scores:
        """The scores of every item, read from the run's file."""
        import numpy as np
        import orjson

        if self.items.endswith(".parquet"):
            import pyarrow as pa
            import pyarrow.parquet as pq

            columns = pq.read_table(pa.OSFile(self.items)).to_pydict()
        else:
            rows = [orjson.loads(line) for line in Path(self.items).read_bytes().splitlines()]
            columns = {key: [row[key] for row in rows] for key in rows[0]}
        values = {name: np.array(column, float) for name, column in columns.items() if name not in ("id", "system")}
        return Scores(tuple(columns["id"]), values, {name: self.recipes[name] for name in values})

    def _cell(self, system: str, column: str) -> ScoreCell:
        mean, bounds = self.systems[system][column], self.corpus_intervals[system][column]
        low, high, floor = map(_nan, (mean.low, mean.high, mean.floor))
        corpus = map(_nan, (self.corpus[system][column], bounds.low, bounds.high))
        return ScoreCell(_nan(mean.mean), low, high, mean.n, floor, *corpus)


ITEM_FILES = ("scores.parquet", "scores.jsonl")


def _nan(value: float | None) -> float:
    return math.nan if value is None else value
