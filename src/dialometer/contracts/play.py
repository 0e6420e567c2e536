"""play: which bots, partners and openers, and how many dialogues."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from dialometer.contracts.base import normalise_request
from dialometer.core.files import MAX_LINE
from dialometer.core.ranges import Bytes, Conversations, Range, Seed, Turns


@dataclass(frozen=True, slots=True)
class PlayRequest:
    """Who talks with whom, from what, for how long; ``turns`` counts generated turns, after those of the opener.

    ``names`` are those of ``a`` in the same order; without them a bot goes by its spec.
    """

    a: tuple[str, ...]
    b: str = ""
    partners: tuple[str, ...] = ()
    openers: str = ""
    where: tuple[str, ...] = ()
    context: Annotated[int, Range(0, 10_000)] = 0
    repeat: bool = False
    n: Conversations = 100
    turns: Turns = 10
    training: tuple[str, ...] = ()
    training_where: tuple[str, ...] = ()
    format: str = ""
    max_line: Bytes = MAX_LINE
    batch: Conversations = 100
    seed: Seed = 0
    output: str = ""
    names: tuple[str, ...] = ()
    allow_failures: Annotated[int, Range(-1, 1_000_000)] = 0  # -1: any number; the exit code alone depends on it
    fresh: bool = False

    def __post_init__(self) -> None:
        normalise_request(self)
