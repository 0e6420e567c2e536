"""agree: which ratings, and what is asked of their raters."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from dialometer.contracts.base import normalise_request
from dialometer.core.files import MAX_LINE
from dialometer.core.ranges import Bytes, Draws, Range, Seed
from dialometer.core.types import KappaWeights


@dataclass(frozen=True, slots=True)
class AgreeRequest:
    """Whose ratings, of what."""

    inputs: tuple[str, ...]
    quality: tuple[str, ...] = ()
    ratings: str = ""
    where: tuple[str, ...] = ()
    flagged: str = ""
    weights: KappaWeights = "quadratic"
    min_kappa: Annotated[float, Range(-1, 1)] = 0.2
    scale: str = ""
    resamples: Draws = 1000
    seed: Seed = 0
    format: str = ""
    max_line: Bytes = MAX_LINE
    output: str = ""
    fresh: bool = False

    def __post_init__(self) -> None:
        normalise_request(self)
