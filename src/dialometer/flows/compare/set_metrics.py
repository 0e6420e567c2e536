"""Numbers of a whole set of replies, such as distinct-n: differences by leaving out one block of conversations at a time."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from dialometer.flows.score.summary import BLOCKS
from dialometer.stats.means import CLUSTERS
from dialometer.stats.resample import jackknife_interval
from dialometer.stats.testing.contrasts import Contrast
from dialometer.stats.testing.set_contrasts import Values, set_contrasts
from dialometer.text.corpus import Corpus


@dataclass
class SetValues:
    """One set metric over the replies of systems in some blocks; what was computed once is kept."""

    metric: Any
    corpus: Corpus
    system: np.ndarray  # of each reply, by number
    block: np.ndarray  # of each reply, numbered as ``score`` orders them
    rank: np.ndarray  # that number of every block
    kept: dict[tuple[int, bytes], Values] = field(default_factory=dict)

    def of(self, system: int, blocks: np.ndarray) -> Values:
        """The columns of a system over these blocks (numbers, rising); parts are dealt out in their order."""
        key = (system, blocks.tobytes())
        if key not in self.kept:
            place = np.searchsorted(blocks, self.block)
            inside = (self.system == system) & (place < len(blocks))
            inside[inside] = blocks[place[inside]] == self.block[inside]
            rows, part = np.flatnonzero(inside), place[inside] % CLUSTERS % BLOCKS  # dealt out as in ``score``
            without = [self.metric.score(self.corpus, rows[part != one]) for one in range(min(BLOCKS, len(blocks)))]
            self.kept[key] = self.metric.score(self.corpus, rows), np.array(without)
        return self.kept[key]

    def mean(self, system: int, blocks: np.ndarray) -> list[tuple[float, float, float]]:
        """The value of each column with its 95% interval."""
        whole, without = self.of(system, blocks)
        low, high = jackknife_interval(whole, without) if len(blocks) > 1 else (np.full(len(whole), np.nan),) * 2
        return list(zip(whole.tolist(), low.tolist(), high.tolist(), strict=True))

    def contrast(self, a: int, b: int, own: Sequence[np.ndarray], paired: bool) -> list[Contrast]:
        """a less b for each column; ``own`` are the blocks of each side, the same ones where they are paired."""
        sides = [np.sort(self.rank[blocks]) for blocks in own]
        return set_contrasts(self.of(a, sides[0]), self.of(b, sides[1]), (len(own[0]), len(own[1])), paired=paired)
