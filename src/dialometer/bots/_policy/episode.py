"""An episode: what was given, and the turns that were said after it; some of them, or all, are the learner's own."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from dialometer.core.types import Turn

SIDES = ("a", "b")


@dataclass(frozen=True)
class Episode:
    """``every`` says which turns are the learner's: 1 if it talks with itself, 2 if every second turn is a partner's.

    >>> talk = Episode(("hi",), ("hello", "tea ?", "yes"), every=2)
    >>> talk.own, [turn.text for turn in talk.context(2)], talk.replies
    ([0, 2], ['hi', 'hello', 'tea ?'], ['hello', 'yes'])
    """

    opener: tuple[str, ...]
    said: tuple[str, ...] = ()
    every: int = 1

    @property
    def own(self) -> list[int]:
        """The numbers of the learner's turns among those that were said."""
        return list(range(0, len(self.said), self.every))

    @property
    def replies(self) -> list[str]:
        """What the learner said."""
        return [self.said[turn] for turn in self.own]

    def context(self, turn: int) -> tuple[Turn, ...]:
        """All that was heard before a turn; the learner, or its first side, is a."""
        given = len(self.opener)
        texts = (*self.opener, *self.said[:turn])
        return tuple(Turn(SIDES[(place - given) % 2], text) for place, text in enumerate(texts))

    def after(self, turn: int) -> tuple[Turn, ...]:
        """The turn that was said next, if any."""
        return tuple(Turn(SIDES[(turn + 1) % 2], text) for text in self.said[turn + 1 : turn + 2])


# Rewards (episodes, own turns), NaN where something was not scored; and what independent measures say of the episodes.
Judging = Callable[[Sequence[Episode]], tuple[np.ndarray, dict[str, float]]]
