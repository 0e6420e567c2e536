"""why: one response, and how each metric arrives at its score."""

from __future__ import annotations

from dataclasses import dataclass

from dialometer.contracts.base import normalise_request
from dialometer.contracts.result import Annotated, Record, doc
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


class Explanation(Record, frozen=True, kw_only=True):
    """The arithmetic behind the score of one metric."""

    recipe: Annotated[str, doc("what determines the score")]
    lines: Annotated[tuple[str, ...], doc("the steps, in order")]


class WhyResult(Record, frozen=True, kw_only=True):
    """One response under each metric and variant."""

    id: Annotated[str, doc("the id of the response")]
    explanations: Annotated[tuple[Explanation, ...], doc("one per metric and variant")]
