"""Bots that are slow, fail or count, for the tests of serve."""

import sys
import threading
import time
from dataclasses import dataclass, field

from dialometer.core.errors import BotError


@dataclass(frozen=True)
class Echo:
    """Says what it heard with its seed; a call takes ``seconds`` however many contexts it gets, as a network would."""

    seconds: float = 0.0
    sizes: list = field(default_factory=list)
    name: str = "echo"
    version: int = 1
    recipe: str = "echo-1"

    def reply(self, contexts, *, n=1, seed=0):
        self.sizes.append(len(contexts))
        time.sleep(self.seconds)
        return [
            [f"{context[-1].text} seed {one} number {k}" for k in range(n)]
            for context, one in zip(contexts, seed, strict=True)
        ]


@dataclass(frozen=True)
class Moody:
    """Raises, exits, says too little or nothing at all, as it is told to."""

    name: str = "moody"
    version: int = 1
    recipe: str = "moody-1"

    def reply(self, contexts, *, n=1, seed=0):
        texts = [context[-1].text for context in contexts]
        if "raise" in texts:
            raise RuntimeError("a bad mood")
        if "sentence" in texts:
            raise BotError("the bot is out of words", "come back later")
        if "exit" in texts:
            sys.exit(3)
        return [[] if text == "few" else [f"fine: {text}"] * n for text in texts]


@dataclass(frozen=True)
class Gated:
    """Answers once its gate is open."""

    gate: threading.Event = field(default_factory=threading.Event)
    begun: threading.Event = field(default_factory=threading.Event)
    heard: list = field(default_factory=list)
    name: str = "gated"
    version: int = 1
    recipe: str = "gated-1"

    def reply(self, contexts, *, n=1, seed=0):
        self.heard.extend(context[-1].text for context in contexts)
        self.begun.set()
        assert self.gate.wait(30)
        return [[context[-1].text] * n for context in contexts]


@dataclass(frozen=True)
class Follower:
    """A bot with an option ``system`` follows instructions; it tells what it was given."""

    system: str = ""
    name: str = "follower"
    version: int = 1
    recipe: str = "follower-1"

    def reply(self, contexts, *, n=1, seed=0):
        return [[" | ".join(f"{turn.speaker}: {turn.text}" for turn in context)] * n for context in contexts]
