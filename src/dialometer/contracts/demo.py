"""demo: how much of it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from dialometer.contracts.base import normalise_request
from dialometer.core.ranges import Draws, Range, Seed


@dataclass(frozen=True, slots=True)
class DemoRequest:
    """How much of it: conversations of each bot, turns of each, questions that are held out."""

    n: Annotated[int, Range(2, 100)] = 20
    turns: Annotated[int, Range(2, 100)] = 10
    questions: Annotated[int, Range(2, 1000)] = 40
    resamples: Draws = 1000
    seed: Seed = 0
    output: str = ""
    fresh: bool = False

    def __post_init__(self) -> None:
        normalise_request(self)
