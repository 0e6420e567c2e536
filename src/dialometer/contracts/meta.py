"""meta: which ratings, which metrics, and how they are compared."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from dialometer.contracts.base import normalise_request
from dialometer.core.files import MAX_LINE
from dialometer.core.ranges import Bytes, Draws, Range, Seed
from dialometer.core.types import KappaWeights


@dataclass(frozen=True, slots=True)
class MetaRequest:
    """Which ratings, which metrics, and how to set them side by side.

    ``reference`` says what stands in place of people, such as "the construction": qualities that are known, not judged.
    """

    inputs: tuple[str, ...]
    metrics: tuple[str, ...] = ()
    scores: tuple[str, ...] = ()
    columns: tuple[str, ...] = ()
    quality: tuple[str, ...] = ()
    ratings: str = ""
    where: tuple[str, ...] = ()
    level: tuple[str, ...] = ()
    aggregate: str = "mean"
    filter_raters: bool = False
    min_kappa: Annotated[float, Range(-1, 1)] = 0.2
    weights: KappaWeights = "quadratic"
    scale: str = ""
    preferences: str = ""
    systems: str = ""
    also: tuple[str, ...] = ()
    planned: tuple[str, ...] = ()
    reference: str = ""
    tok: str = ""
    resamples: Draws = 1000
    permutations: Draws = 1000
    engine: str = "serial"
    seed: Seed = 0
    format: str = ""
    max_line: Bytes = MAX_LINE
    output: str = ""
    fresh: bool = False

    def __post_init__(self) -> None:
        normalise_request(self)
