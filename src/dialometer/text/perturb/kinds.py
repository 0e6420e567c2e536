"""The type of a perturbation, and what it may use of the other items."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Literal

from dialometer.core.types import Example
from dialometer.text.perturb.names import spelt_names

Expected = Literal["drop", "same", "no better", "rise"]


@dataclass(frozen=True)
class Others:
    """The items beside the one in hand: their responses, and the names in them by kind; the order of the items plays no part."""

    responses: tuple[tuple[str, str], ...]  # (document, response), sorted by item
    names: Mapping[str, tuple[tuple[str, str], ...]]  # kind → (name, spelling), sorted

    @classmethod
    def of(cls, items: Iterable[Example]) -> Others:
        """Gather what these items lend to each other."""
        known = sorted(items, key=lambda item: item.id)
        names: dict[str, dict[str, str]] = {}
        for item in known:
            for found in spelt_names(item.response):
                names.setdefault(found.kind, {}).setdefault(found.name, found.spelling)
        return cls(
            tuple((item.document, item.response) for item in known if item.response.strip()),
            {kind: tuple(sorted(spelt.items())) for kind, spelt in sorted(names.items())},
        )


Change = Callable[[Example, Others, int], str | None]


@dataclass(frozen=True)
class Perturbation:
    """A perturbation of a response, and how a careful rater would react to it.

    ``change`` is a function of the item, the others and a seed of the item's own. None, or the response as it was, means
    that there was nothing to change.
    """

    name: str
    expected: Expected
    about: str
    reason: str
    change: Change
    version: int = 1

    def of(self, item: Example, others: Others, seed: int) -> str | None:
        """The changed response, or None where nothing changes."""
        made = self.change(item, others, seed)
        return None if made == item.response else made
