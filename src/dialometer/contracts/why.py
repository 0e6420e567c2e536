"""why: one response, and the metrics to explain."""

from __future__ import annotations

from dataclasses import dataclass

from dialometer.contracts.base import normalise_request
from dialometer.core.files import MAX_LINE
from dialometer.core.ranges import Bytes


@dataclass(frozen=True, slots=True)
class WhyRequest:
    """Which response, and under which metrics."""

    inputs: tuple[str, ...]
    id: str
    metrics: tuple[str, ...]
    tok: str = ""
    format: str = ""
    max_line: Bytes = MAX_LINE
    allow_empty_references: bool = False

    def __post_init__(self) -> None:
        normalise_request(self)
