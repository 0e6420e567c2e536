"""train a policy: which bot, which reward, for how long; and its measures before and after."""

from __future__ import annotations

from dataclasses import dataclass, fields

from dialometer.contracts.base import normalise_request
from dialometer.contracts.result import Annotated, Record, doc
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
    """An episode is a dialogue of ``turns`` generated turns; ``batch`` of them make a step.

    ``baseline`` is subtracted from the credit of a turn: the mean of the other episodes of the batch, a moving average over the
    steps, or nothing. ``credit`` is the whole return of the episode (Deriu and Cieliebak 2019) or the rest of it, from the turn
    on. ``kl`` is the KL coefficient towards the initial policy, ``entropy`` the coefficient of the entropy bonus, ``penalty`` the
    cost of a degenerate response, all in units of the reward. ``least`` is the number of symbols before a response may end: 0
    allows empty responses.
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
    """Which bot is trained from which openers with which reward; the rest as ``PolicyOptions`` has it.

    ``watch`` are further metrics to record, ``check`` the number of openers held out for the measures before and after. Without
    ``stop`` early stopping only records the step at which it would have ended the training.
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
    def options(self) -> PolicyOptions:
        """The part about the optimisation."""
        return PolicyOptions(**{field.name: getattr(self, field.name) for field in fields(PolicyOptions)})


class PolicyResult(Record, frozen=True, kw_only=True):
    """A policy trained with a reward; measures are means over the held-out openers, by name."""

    run: Annotated[str, doc("the run folder, which is a spec of the bot")]
    kind: Annotated[str, doc("bot")] = "bot"
    name: Annotated[str, doc("the bot's name in the catalogue")]
    reward: Annotated[str, doc("the metric that gives the reward")]
    recipe: Annotated[str, doc("what determines the bot's output")]
    recipes: Annotated[list[str], doc("of the reward, then of the metrics that were recorded beside it")]
    watched: Annotated[list[str], doc("metrics that were recorded beside the reward")]
    episodes: Annotated[int, doc("dialogues in all")]
    turns: Annotated[int, doc("generated turns of each")]
    steps: Annotated[int, doc("updates")]
    check: Annotated[int, doc("openers held out for the measures")]
    openers: Annotated[int, doc("openers to train on")]
    left_out: Annotated[int, doc("openers that the bot or the metric of the reward was fitted on")]
    before: Annotated[dict[str, float | None], doc("measures of the initial policy")]
    after: Annotated[dict[str, float | None], doc("measures of the trained policy")]
    early_stopping_step: Annotated[int, doc("the step at which the early-stopping rule was met; 0 if never")]
    reasons: Annotated[list[str], doc("the measures that had degraded then")]
    stopped: Annotated[bool, doc("whether that ended the training")]
    weights_step: Annotated[int, doc("the step whose weights the bot has")]
    seconds: Annotated[float, doc("time of training and measuring")]
