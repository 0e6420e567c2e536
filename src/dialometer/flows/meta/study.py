"""A study: items (or systems) with what people said of them and what metrics say of them, in one order."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from dialometer.contracts.meta import PEOPLE
from dialometer.core.errors import NeedsError
from dialometer.flows.meta.columns import Columns
from dialometer.flows.shared.rated_items import Rated
from dialometer.stats.correlation.system_level import LEAST

LEVELS = ("item", "context", "system")


@dataclass(frozen=True)
class Study:
    """What people said (a target per quality) and what metrics say, row by row; ``rated`` is None for a table of means."""

    unit: str  # turn, dialogue or system: what a row is
    ids: tuple[str, ...]
    systems: tuple[str, ...]
    system: np.ndarray
    cluster: np.ndarray
    human: dict[str, np.ndarray]
    columns: Columns
    rated: Rated | None = None
    left_out: dict[str, int] = field(default_factory=dict)
    everybody: Rated | None = None  # before raters were filtered
    standardised: bool = False  # whether the targets are standard scores, not ratings
    human_of_all: dict[str, np.ndarray] = field(default_factory=dict)
    reference: str = PEOPLE  # whom metrics are set beside: people, or what stands in their place

    def __len__(self) -> int:
        return len(self.ids)

    @property
    def judged(self) -> bool:
        """Whether there are raters behind the targets."""
        return self.rated is not None and self.reference == PEOPLE


def refuse_few_systems(levels: tuple[str, ...], systems: int, way_out: str = "--level item") -> None:
    """A system level that was asked for by name, where there are too few to say anything."""
    if "system" in levels and systems < LEAST:
        raise NeedsError(
            f"there are {systems} systems: a correlation over fewer than {LEAST} says nothing (r = .7 at n = 4 has an interval "
            "of [−.80, .99])",
            way_out,
        )
