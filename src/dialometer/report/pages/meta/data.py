"""What the page draws besides the result: the items, and the numbers of each."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from dialometer.report.blocks import Block, Item


@dataclass(frozen=True, eq=False)
class StudyData:
    """Numbers per item in one order: ``human`` by quality, ``columns`` by metric; ``scores`` are raters' standard scores.

    ``items`` are shown at a click; ``stress`` are the blocks of the stress test, where there was one.
    """

    human: Mapping[str, np.ndarray]
    columns: Mapping[str, np.ndarray]
    items: Sequence[Item] = ()
    scores: Mapping[str, np.ndarray] = field(default_factory=dict)
    stress: Sequence[Block] = ()
    versions: Mapping[str, str] = field(default_factory=dict)
