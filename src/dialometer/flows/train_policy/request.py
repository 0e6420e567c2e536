"""What is asked of a learning by reward, and what comes of it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

TOLD = ("return", "distinct-2", "empty", "repeated", "universal", "perplexity", "words")


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
