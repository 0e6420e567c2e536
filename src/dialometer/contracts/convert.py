"""convert: from which files to which format."""

from __future__ import annotations

from dataclasses import dataclass

from dialometer.contracts.base import normalise_request
from dialometer.core.files import MAX_LINE
from dialometer.core.ranges import Bytes


@dataclass(frozen=True, slots=True)
class ConvertRequest:
    """What to read, how, and where to write it."""

    inputs: tuple[str, ...]
    output: str
    format_in: str = ""
    format_out: str = ""
    references: tuple[str, ...] = ()
    builder: str = ""
    placeholders: tuple[str, ...] = ()
    max_line: Bytes = MAX_LINE
    lossy: bool = False
    allow_empty_references: bool = False

    def __post_init__(self) -> None:
        normalise_request(self)
