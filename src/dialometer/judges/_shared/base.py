"""What judges share whose ``learnt`` is nothing until they are fitted: whether they can score, what they tell, means of scores."""

from __future__ import annotations

from typing import Any

import numpy as np

from dialometer.core.protocols import Level
from dialometer.judges._shared.training_rows import parts_seen


class Learnt:
    """For a frozen dataclass with a field ``learnt`` that has ``facts`` and ``seen``; ``_parts`` are what it rests on."""

    learnt: Any

    @property
    def fitted(self) -> bool:
        """Whether it was trained."""
        return self.learnt is not None

    @property
    def facts(self) -> dict[str, Any]:
        """What was chosen, and what was learnt; nothing before."""
        return dict(self.learnt.facts) if self.fitted else {}

    def seen(self) -> np.ndarray:
        """Hashes of the replies it was fitted on, of the turns they answer, and of what its parts were fitted on."""
        return parts_seen(self._parts(), *([self.learnt.seen] if self.fitted else []))

    def finish(self, totals: np.ndarray, *, level: Level) -> np.ndarray:
        """The mean over what was scored."""
        with np.errstate(invalid="ignore"):
            return np.asarray(totals[..., 1:] / totals[..., :1])

    def _parts(self) -> list[Any]:
        return []
