"""How a bot learns by reward: how long, how fast, and what keeps it from going astray."""

from __future__ import annotations

import math
from dataclasses import dataclass

from dialometer.errors import UnknownName, UsageError

BASELINES = ("batch", "moving", "none")
CREDITS = ("return", "rest")
MOST = 1_000_000


@dataclass(frozen=True)
class Course:
    """An episode is a conversation of ``turns`` generated turns; ``batch`` of them make a step.

    ``baseline`` is subtracted from what a turn is credited with: the mean of the other episodes of the batch, a moving average
    over the steps, or nothing. ``credit`` is the whole return of the episode (Deriu and Cieliebak 2019) or the rest of it, from
    the turn on. ``kl`` is what a nat of divergence from the frozen bot costs, ``entropy`` what a nat of entropy earns, ``penalty``
    what a degenerate reply costs, all in units of the reward. ``least`` symbols are said before a reply may end: 0 allows silence.
    """

    episodes: int = 640
    batch: int = 8
    turns: int = 10
    rate: float = 5e-4
    baseline: str = "batch"
    credit: str = "return"
    kl: float = 0.0
    penalty: float = 0.0
    entropy: float = 0.0
    temperature: float = 1.0
    least: int = 0

    def __post_init__(self) -> None:
        for name in ("episodes", "batch", "turns"):
            if not 1 <= getattr(self, name) <= MOST:
                raise UsageError(f"--{name} is 1 to a million, not {getattr(self, name)}", f"--{name} 10")
        for name in ("kl", "penalty", "entropy", "least"):
            if not 0 <= getattr(self, name) < math.inf:
                raise UsageError(f"--{name} is 0 or more, not {getattr(self, name)}", f"--{name} 0.1")
        for name in ("rate", "temperature"):
            if not 0 < getattr(self, name) < math.inf:
                raise UsageError(f"--{name} is above 0, not {getattr(self, name)}", f"--{name} 0.0005")
        for name, known in (("baseline", BASELINES), ("credit", CREDITS)):
            if getattr(self, name) not in known:
                raise UnknownName(name, getattr(self, name), known, hint=f"--{name} {known[0]}")
        if self.baseline == "batch" and self.batch < 2:
            raise UsageError("a batch of one episode has no others to compare it with", "--batch 8, or --baseline moving")

    @property
    def steps(self) -> int:
        """Updates; the last batch is as large as the others."""
        return -(-self.episodes // self.batch)
