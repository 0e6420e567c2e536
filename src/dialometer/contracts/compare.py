"""compare: which bots or runs, by which metrics, and the study made of them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from dialometer.contracts.base import normalise_request
from dialometer.core.files import MAX_LINE
from dialometer.core.ranges import Bytes, Conversations, Count, Draws, Range, Seed, Turns
from dialometer.core.types import KappaWeights


@dataclass(frozen=True, slots=True)
class CompareRequest:
    """Who is compared by what; bots (``a``, or specs among ``inputs``) talk first, as in ``play``."""

    inputs: tuple[str, ...] = ()
    a: tuple[str, ...] = ()
    b: str = ""
    partners: tuple[str, ...] = ()
    openers: str = ""
    where: tuple[str, ...] = ()
    context: Annotated[int, Range(0, 10_000)] = 0
    n: Conversations = 100
    turns: Turns = 10
    batch: Conversations = 100
    metrics: tuple[str, ...] = ()
    tok: str = ""
    against: str = ""
    planned: tuple[str, ...] = ()
    test: str = "mean"
    study: str = ""
    quality: tuple[str, ...] = ("overall",)
    scale: str = "1,5"
    checks: Count = 20
    ratings: tuple[str, ...] = ()
    weights: KappaWeights = "quadratic"
    resamples: Draws = 1000
    permutations: Draws = 10_000
    format: str = ""
    max_line: Bytes = MAX_LINE
    engine: str = "serial"
    seed: Seed = 0
    output: str = ""
    cache: bool = True
    fresh: bool = False

    def __post_init__(self) -> None:
        normalise_request(self)
