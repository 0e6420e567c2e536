"""stress: which responses are perturbed, and which metrics react."""

from __future__ import annotations

from dataclasses import dataclass

from dialometer.contracts.base import normalise_request
from dialometer.core.files import MAX_LINE
from dialometer.core.ranges import Bytes, Count, Draws, Seed


@dataclass(frozen=True, slots=True)
class StressRequest:
    """Which metrics to stress, on which items, in which ways; no ``perturb`` means all, a ``limit`` of 0 no limit."""

    inputs: tuple[str, ...]
    metrics: tuple[str, ...]
    perturb: tuple[str, ...] = ()
    tok: str = ""
    format: str = ""
    max_line: Bytes = MAX_LINE
    allow_empty_references: bool = False
    limit: Count = 1000
    resamples: Draws = 1000
    seed: Seed = 0
    engine: str = "serial"
    output: str = ""
    cache: bool = True
    fresh: bool = False

    def __post_init__(self) -> None:
        normalise_request(self)
