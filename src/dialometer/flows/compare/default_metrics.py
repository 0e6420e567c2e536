"""What systems are compared by where no metric is named: counts of whatever there is, and features of conversations."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from dialometer.core.errors import DialometerError
from dialometer.core.recipes import recipe
from dialometer.core.registry import create, names
from dialometer.core.types import Dialogue
from dialometer.data import open_items
from dialometer.flows.compare.sources import Source

WHOLE, BY_TURN = "conversation", "turns"  # the first has every column of the second, as means over the replies
COUNTED_THERE = "length"  # its words are the ``turn-words`` of conversations: one number under two names


@dataclass(frozen=True)
class Defaults:
    """Specs of the metrics that are tested, of those that are only drawn by turn, and what had to be left out."""

    metrics: tuple[str, ...] = ()
    drawn: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()


def default_metrics(sources: Sequence[Source], request: Any) -> Defaults:
    """The counted metrics that need nothing; for conversations also their features, where what these rest on is installed."""
    counted = counts()
    if not all(_talks(source, request) for source in sources):
        return Defaults(counted)
    try:
        for name in (WHOLE, BY_TURN):
            recipe(create("metric", name))  # it names the models inside, and so asks for them
    except DialometerError as error:
        return Defaults(counted, notes=(f"Features of conversations are left out: {error.message} ({error.hint}).",))
    return Defaults((*(name for name in counted if name != COUNTED_THERE), WHOLE), (BY_TURN,))


def counts() -> tuple[str, ...]:
    """The counted metrics that need no reference and no context: they measure whatever there is, and quickly."""
    found = []
    for name in sorted(set(names("metric")) - set(names("judge"))):
        with suppress(DialometerError):  # one whose package is missing here is for those who name it
            found += [name] * (not create("metric", name).needs)
    return tuple(found)


def _talks(source: Source, request: Any) -> bool:
    """Whether a file holds conversations, by its first item."""
    form = source.format or request.format or None
    items = open_items(source.path, format=form, max_line=request.max_line, allow_empty_references=True)
    return isinstance(next(iter(items), None), Dialogue)
