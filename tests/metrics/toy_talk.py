"""A world small enough to work out by hand: an encoder of two numbers, an emotion of three emojis, vectors of three words."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from dialometer.core.types import Dialogue, Turn
from dialometer.text.vectors.emojis import NAMES, sentiment

CATALOGUE = {"encoder": "tests.metrics.toy_talk:Sweets", "emotion": "tests.metrics.toy_talk:Mood"}
WORDS = "tea 1 0\ncake 0 1\ngood 1 1\n"
SAID = ("haha good tea", "What tea ? good tea", "bad cake", "good tea good tea", "so so ha", "cake cake tea")


@dataclass(frozen=True)
class Sweets:
    """(teas, cakes) of a text."""

    name: ClassVar[str] = "toy"
    version: ClassVar[int] = 1
    width: ClassVar[int] = 2
    recipe: ClassVar[str] = "toy-1"

    def encode(self, texts):
        return np.array([[text.split().count(word) for word in ("tea", "cake")] for text in texts], np.float32).reshape(
            -1, 2
        )

    def coverage(self, texts):
        return np.ones((len(texts), 2), np.int64)


@dataclass(frozen=True)
class Mood:
    """good: ¾ smile (weight 1), ¼ joy (0); bad: ½ angry (−1), ½ joy; so: ¼ smile, ¼ angry, ½ joy; else joy, as for no text."""

    name: ClassVar[str] = "toy"
    version: ClassVar[int] = 1
    recipe: ClassVar[str] = "mood-1"

    def distribution(self, texts):
        made = np.zeros((len(texts), len(NAMES)), np.float32)
        smile, angry, joy = map(NAMES.index, ("smile", "angry", "joy"))
        for row, text in zip(made, texts, strict=True):
            shares = {"good": (0.75, 0, 0.25), "bad": (0, 0.5, 0.5), "so": (0.25, 0.25, 0.5)}
            row[[smile, angry, joy]] = next((shares[word] for word in text.split() if word in shares), (0, 0, 1))
        return made

    def sentiment(self, texts):
        return sentiment(self.distribution(texts))


def chat(texts=SAID, speakers="ub", name="d", system="bot"):
    """A conversation whose speakers take turns; b is the system's."""
    turns = tuple(Turn(speakers[place % len(speakers)], text) for place, text in enumerate(texts))
    return Dialogue(name, system, turns, extra={"rated_speaker": "b"})


def self_play(texts=SAID, name="s", system="bot"):
    """The same texts said by one bot to itself after an opener."""
    turns = (Turn("user", texts[0]), *(Turn("ab"[place % 2], text) for place, text in enumerate(texts[1:])))
    return Dialogue(name, system, turns)
