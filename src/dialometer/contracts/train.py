"""train: what is fitted, on which text or ratings."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from dialometer.contracts.base import normalise_request
from dialometer.core.files import MAX_LINE
from dialometer.core.ranges import Bytes, Range, Seed


@dataclass(frozen=True, slots=True)
class TrainRequest:
    """What to train, on what text, in how many processes, and (for amfm) on whose ratings to tune it.

    A judge learns from rated items, or (``human``) from who wrote them: ``quality`` to ``selfplay`` are about these; ``metrics``
    and ``beside`` are what it is compared with, ``selfplay`` what a judge of conversations is applied to.
    """

    spec: str
    inputs: tuple[str, ...]
    where: tuple[str, ...] = ()
    without: tuple[str, ...] = ()
    processes: Annotated[int, Range(1, 256)] = 1
    tune: tuple[str, ...] = ()
    quality: str = ""
    level: str = "item"
    folds: Annotated[int, Range(2, 1000, unset=0)] = 0  # 5 for a tuning, 10 for a judge
    ks: Annotated[str, Range(1, 16_384)] = ""
    orders: Annotated[str, Range(1, 5)] = ""
    ratings: str = ""
    human: tuple[str, ...] = ()
    aggregate: str = "mean"
    scale: str = ""
    drop_references_equal: bool = True
    metrics: tuple[str, ...] = ()
    beside: tuple[str, ...] = ()
    quick: bool = False
    licence: str = ""
    selfplay: str = ""
    format: str = ""
    max_line: Bytes = MAX_LINE
    seed: Seed = 0
    output: str = ""
    fresh: bool = False

    def __post_init__(self) -> None:
        normalise_request(self)
