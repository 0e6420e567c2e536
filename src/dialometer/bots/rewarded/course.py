"""How a bot learns by reward: how long, how fast, and what keeps it from going astray."""

from __future__ import annotations

from dataclasses import dataclass

from dialometer.errors import UnknownName, UsageError
from dialometer.ranges import Conversations, Count, Nonnegative, Positive, Turns, check_request

BASELINES = ("batch", "moving", "none")
CREDITS = ("return", "rest")


@dataclass(frozen=True)
class Course:
    """An episode is a conversation of ``turns`` generated turns; ``batch`` of them make a step.

    ``baseline`` is subtracted from what a turn is credited with: the mean of the other episodes of the batch, a moving average
    over the steps, or nothing. ``credit`` is the whole return of the episode (Deriu and Cieliebak 2019) or the rest of it, from
    the turn on. ``kl`` is what a nat of divergence from the frozen bot costs, ``entropy`` what a nat of entropy earns, ``penalty``
    what a degenerate reply costs, all in units of the reward. ``least`` symbols are said before a reply may end: 0 allows silence.
    """

    episodes: Conversations = 640
    batch: Conversations = 8
    turns: Turns = 10
    rate: Positive = 5e-4
    baseline: str = "batch"
    credit: str = "return"
    kl: Nonnegative = 0.0
    penalty: Nonnegative = 0.0
    entropy: Nonnegative = 0.0
    temperature: Positive = 1.0
    least: Count = 0

    def __post_init__(self) -> None:
        check_request(self)
        for name, known in (("baseline", BASELINES), ("credit", CREDITS)):
            if getattr(self, name) not in known:
                raise UnknownName(name, getattr(self, name), known, hint=f"--{name} {known[0]}")
        if self.baseline == "batch" and self.batch < 2:
            raise UsageError("a batch of one episode has no others to compare it with", "--batch 8, or --baseline moving")

    @property
    def steps(self) -> int:
        """Updates; the last batch is as large as the others."""
        return -(-self.episodes // self.batch)
