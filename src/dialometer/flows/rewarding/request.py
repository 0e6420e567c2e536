"""What is asked of a learning by reward, and what comes of it."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Annotated, Any

from dialometer.bots.rewarded.course import Course
from dialometer.data.limits import MAX_LINE
from dialometer.flows.running import tidy
from dialometer.ranges import Bytes, Conversations, Count, Nonnegative, Positive, Range, Seed, Size, Turns

TOLD = ("return", "distinct-2", "empty", "repeated", "universal", "perplexity", "words")


@dataclass(frozen=True, slots=True)
class RewardRequest:
    """Which bot learns from which openers by which judge; the rest as ``Course`` has it.

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
    episodes: Conversations = Course.episodes
    batch: Conversations = Course.batch
    turns: Turns = Course.turns
    rate: Positive = Course.rate
    baseline: str = Course.baseline
    credit: str = Course.credit
    kl: Nonnegative = Course.kl
    penalty: Nonnegative = Course.penalty
    entropy: Nonnegative = Course.entropy
    temperature: Positive = Course.temperature
    least: Count = Course.least
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
        tidy(self)

    @property
    def course(self) -> Course:
        """Its part that the bot must know."""
        return Course(**{field.name: getattr(self, field.name) for field in fields(Course)})


@dataclass(frozen=True)
class RewardReport:
    """Where the bot lies, and how it was before and after."""

    run: str
    name: str
    facts: dict[str, Any]
    kind: str = "bot"

    def to_json(self) -> dict[str, Any]:
        """The promised form."""
        return {"run": self.run, "kind": self.kind, "name": self.name, **self.facts}

    def lines(self) -> list[str]:
        """For a terminal: how long, before and after, and whether it was stopped."""
        facts = self.facts
        before, after = facts["before"], facts["after"]
        shown = [name for name in (*TOLD, *facts["watched"]) if before.get(name) is not None]
        wide = max(map(len, shown))
        played = f"{facts['episodes']:,} episodes of {facts['turns']} turns in {facts['steps']} steps"
        lines = [f"{self.name} learnt by {facts['reward']}: {played}"]
        lines += [f"  {name:{wide}}  {_number(before[name]):>8} → {_number(after.get(name)):<8}" for name in shown]
        if facts["alarm"]:
            what = "stopped" if facts["stopped"] else "rang (and was not to stop it)"
            lines.append(f"the watch {what} at step {facts['alarm']}: the return rose while {'; '.join(facts['reasons'])}")
        if facts["stopped"]:
            lines.append(f"what is kept are the weights of step {facts['kept']}, the last at which nothing had fallen")
        return lines


def _number(value: float | None) -> str:
    return "–" if value is None else f"{value:.3f}"
