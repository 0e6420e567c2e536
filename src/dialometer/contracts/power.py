"""power: which ratings and effects a study is planned for."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from dialometer.contracts.base import normalise_request
from dialometer.core.files import MAX_LINE
from dialometer.core.ranges import Bytes, Inside, Range, Seed


@dataclass(frozen=True, slots=True)
class PowerRequest:
    """Whose ratings to plan from, and what to tell apart: two systems by an effect, or two metrics by their scores.

    ``effect`` is in points of the scale (``0.3``) or in standard deviations of a rating (``0.3sd``); left empty, it is the
    difference seen between a and b.
    """

    inputs: tuple[str, ...]
    quality: str = ""
    ratings: str = ""
    where: tuple[str, ...] = ()
    scale: str = ""
    a: str = ""
    b: str = ""
    effect: str | float = ""
    items: Annotated[str, Range(4, 1_000_000)] = "25,50,100,200,400"
    raters: Annotated[str, Range(1, 1_000_000)] = "1,2,3,5"
    paired: bool = False
    panel: bool = False
    test: str = "t"
    scores: str = ""
    metrics: tuple[str, ...] = ()
    kind: str = "pearson"
    level: Inside = 0.05
    goal: Inside = 0.8
    simulations: Annotated[int, Range(100, 1_000_000)] = 2000
    seed: Seed = 0
    format: str = ""
    max_line: Bytes = MAX_LINE
    output: str = ""
    fresh: bool = False

    def __post_init__(self) -> None:
        normalise_request(self)

    @property
    def about_systems(self) -> bool:
        """Whether systems are to be told apart: always, unless metrics are and nobody named an effect or a system."""
        return bool(self.effect or self.a or self.b or not self.scores)
