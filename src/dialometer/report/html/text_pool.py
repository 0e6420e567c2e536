"""Texts of items, each stored once: pools of texts, contexts and reference lists, cut where they are long."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass, field
from typing import Any, Generic, TypeVar

from dialometer.report.blocks import Item
from dialometer.report.html.escape import clean

REFERENCES = 3  # shown of each item; the panel says how many more there are
T = TypeVar("T", bound=Hashable)


@dataclass(frozen=True)
class Cut:
    """How much of long items is kept: letters of a text, the last turns of a dialogue."""

    letters: int
    turns: int


@dataclass
class UniqueValues(Generic[T]):
    """Distinct values in order of first appearance."""

    places: dict[T, int] = field(default_factory=dict)

    def place(self, thing: T) -> int:
        """The number of a value; a new one gets the next."""
        return self.places.setdefault(thing, len(self.places))


@dataclass
class CutTexts:
    """Every text of the items, cut to size; ``shortened`` are the numbers of those that were."""

    cut: Cut
    texts: UniqueValues[str] = field(default_factory=UniqueValues)
    speakers: UniqueValues[str] = field(default_factory=UniqueValues)
    contexts: UniqueValues[tuple[int, ...]] = field(default_factory=UniqueValues)
    references: UniqueValues[tuple[int, ...]] = field(default_factory=UniqueValues)
    shortened: set[int] = field(default_factory=set)

    def text(self, text: str) -> int:
        """The number of a text; −1 for none."""
        if not text:
            return -1
        whole = clean(text)
        if len(whole) <= self.cut.letters:
            return self.texts.place(whole)
        place = self.texts.place(whole[: self.cut.letters].rstrip() + "…")
        self.shortened.add(place)
        return place

    def context(self, turns: Sequence[tuple[str, str]]) -> int:
        """Turns left out at the start, then speaker and text of each that is kept."""
        left_out = max(0, len(turns) - self.cut.turns)
        kept = turns[left_out:]
        flat = [number for speaker, text in kept for number in (self.speakers.place(clean(speaker)), self.text(text))]
        return self.contexts.place((left_out, *flat))

    def reference_list(self, references: Sequence[str]) -> int:
        """How many there are, then the first few."""
        return self.references.place((len(references), *(self.text(text) for text in references[:REFERENCES])))


def text_columns(items: Sequence[Item], cut: Cut) -> dict[str, Any]:
    """The texts of the items as plain lists, one number per item and pool."""
    kept = CutTexts(cut)
    rows = [(kept.context(item.turns), kept.text(item.response), kept.reference_list(item.references)) for item in items]
    return {
        "texts": list(kept.texts.places),
        "cut": sorted(kept.shortened),
        "speakers": list(kept.speakers.places),
        "contexts": list(kept.contexts.places),
        "references": list(kept.references.places),
        "context": [row[0] for row in rows],
        "response": [row[1] for row in rows],
        "reference": [row[2] for row in rows],
    }
