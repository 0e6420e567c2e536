"""chat: which bot, and what is kept of the dialogue."""

from __future__ import annotations

from dataclasses import dataclass

from dialometer.contracts.base import normalise_request
from dialometer.core.ranges import Seed


@dataclass(frozen=True, slots=True)
class ChatRequest:
    """With whom to talk, which scores to show, and where to keep what is said."""

    bot: str
    metrics: tuple[str, ...] = ()
    tok: str = ""
    seed: Seed = 0
    output: str = ""

    def __post_init__(self) -> None:
        normalise_request(self)
