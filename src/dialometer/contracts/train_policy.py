"""train a policy: which bot, which reward, for how long."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Annotated

from dialometer.contracts.base import normalise_request
from dialometer.core.errors import UnknownName, UsageError
from dialometer.core.files import MAX_LINE
from dialometer.core.ranges import (
    Bytes,
    Conversations,
    Count,
    Nonnegative,
    Positive,
    Range,
    Seed,
    Size,
    Turns,
    check_request,
)

BASELINES = ("batch", "moving", "none")
CREDITS = ("return", "rest")


@dataclass(frozen=True)
class PolicyOptions:
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


@dataclass(frozen=True, slots=True)
class RewardRequest:
    """Which bot learns from which openers by which judge; the rest as ``PolicyOptions`` has it.

    ``watch`` are further metrics to look at, ``check`` the openers kept for a look before and after. Without ``stop`` the watch
    over the learning only notes when it would have ended it.
    """

    spec: str
    inputs: tuple[str, ...]
    reward: str
    column: str = ""
    lowest: bool = False
    watch: tuple[str, ...] = ()
    partner: str = ""
    episodes: Conversations = PolicyOptions.episodes
    batch: Conversations = PolicyOptions.batch
    turns: Turns = PolicyOptions.turns
    rate: Positive = PolicyOptions.rate
    baseline: str = PolicyOptions.baseline
    credit: str = PolicyOptions.credit
    kl: Nonnegative = PolicyOptions.kl
    penalty: Nonnegative = PolicyOptions.penalty
    entropy: Nonnegative = PolicyOptions.entropy
    temperature: Positive = PolicyOptions.temperature
    least: Count = PolicyOptions.least
    stop: bool = True
    check: Size = 20
    context: Annotated[int, Range(0, 10_000)] = 0
    where: tuple[str, ...] = ()
    format: str = ""
    max_line: Bytes = MAX_LINE
    seed: Seed = 0
    output: str = ""
    fresh: bool = False

    def __post_init__(self) -> None:
        normalise_request(self)

    @property
    def course(self) -> PolicyOptions:
        """Its part that the bot must know."""
        return PolicyOptions(**{field.name: getattr(self, field.name) for field in fields(PolicyOptions)})
