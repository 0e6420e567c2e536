"""convert: from which files to which format, and what was written."""

from __future__ import annotations

from dataclasses import dataclass

import msgspec

from dialometer.contracts.base import normalise_request
from dialometer.contracts.result import Annotated, Record, doc
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


class ConvertResult(Record, frozen=True, kw_only=True):
    """What was written."""

    output: Annotated[str, doc("the file")]
    n: Annotated[int, doc("items in it")]
    format_in: Annotated[str, doc("the format that was read, or the builder of a corpus")] = msgspec.field(name="from")
    format_out: Annotated[str, doc("the format that was written")] = msgspec.field(name="to")
    counts: Annotated[dict[str, int], doc("what a builder left out, by reason")]
