"""Bots for tests: they draw, fail, stammer, count and sleep as told."""

from __future__ import annotations

import os
import time
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

from dialometer.core import registry
from dialometer.core.catalog import CATALOG
from dialometer.core.errors import BotError, PartlyFailed
from dialometer.core.recipes import short
from dialometer.core.seeds import seeds_for, streams

WORDS = "tea rain film song cat soup work trip sea moon".split()


@dataclass(frozen=True)
class Talker:
    """Says words drawn from the context's own stream; what goes wrong, and when, are its options."""

    words: int = 3
    raises: str = ""  # a word in the last turn that it cannot bear: the whole call fails
    refuses: str = ""  # one that costs its own context alone
    deaf: int = 0  # fails at contexts of that many turns
    mute: bool = False  # one reply too few for contexts of two turns
    dirty: bool = False
    delay: float = 0.0
    log: str = ""  # a file that notes every call
    down: str = ""  # a file: while it is there, nobody is answered
    remote: bool = False

    name: ClassVar[str] = "talker"
    version: ClassVar[int] = 1
    counts: ClassVar[dict[str, int]] = {"tokens": 0, "closed": 0}

    @property
    def recipe(self) -> str:
        return short(self)

    def reply(self, contexts, *, n=1, seed=0):
        time.sleep(self.delay)
        if self.log:
            with open(self.log, "a") as file:
                file.write(f"{os.getpid()} {len(contexts)} {n}\n")
        if self.down and Path(self.down).exists():
            raise BotError("the line is dead")
        if self.raises and any(context and self.raises in context[-1].text for context in contexts):
            raise ValueError(f"cannot bear\n{self.raises}")
        said, reasons = [], {}
        for number, (context, draw) in enumerate(zip(contexts, streams(seeds_for(seed, contexts)), strict=True)):
            replies = [self.one(draw) for _ in range(n)]
            self.counts["tokens"] += self.words * n
            said.append(replies[: n - 1] if self.mute and len(context) == 2 else replies)
            if (self.refuses and self.refuses in context[-1].text) or (self.deaf and len(context) == self.deaf):
                reasons[number] = f"not after {context[-1].text!r}"
                said[-1] = None
        if reasons:
            raise PartlyFailed(said, reasons)
        return said

    def one(self, draw):
        text = " ".join(WORDS[i] for i in draw.integers(len(WORDS), size=self.words))
        return f"\x00{text}\x1b \ud800" if self.dirty else text

    def usage(self):
        return {"tokens": self.counts["tokens"], "model": "none"}

    def close(self):
        self.counts["closed"] += 1


def register() -> None:
    """Into the catalogue of this process."""
    CATALOG["bot"]["talker"] = "tests.bots.talkers:Talker"
    registry._menu.cache_clear()


def unregister() -> None:
    """Out of it again."""
    CATALOG["bot"].pop("talker", None)
    registry._menu.cache_clear()
