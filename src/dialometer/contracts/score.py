"""score: which files, by which metrics."""

from __future__ import annotations

from dataclasses import dataclass

from dialometer.contracts.base import normalise_request
from dialometer.core.files import MAX_LINE
from dialometer.core.ranges import Bytes, Draws, Seed, Size


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
