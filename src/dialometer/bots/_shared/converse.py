"""converse: the turn loop. Conversations go on in lock-step, one call a turn for all that wait for the same bot.

A conversation is its opener, whose turns are given, and then exactly as many turns as were asked for, the two sides in turn. Each
side has a seed of its own, derived from (seed, conversation, side), and each of its turns one derived from that and the turn's
number among those generated. A bot that fails ends its conversation there; what was said stays, and the others go on.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field

from dialometer.bots._shared.ask import Answer, ask
from dialometer.core.protocols import Bot
from dialometer.core.seeds import derived
from dialometer.core.types import Turn

SIDES = ("a", "b")
Step = list[Answer]


@dataclass(frozen=True)
class Start:
    """A conversation to be: what is given, who talks, and which side begins."""

    id: str
    opener: tuple[str, ...]
    a: Bot
    b: Bot
    first: str = "a"

    def side(self, number: int) -> str:
        """Whose turn it is; turns before the first generated one have numbers below 0."""
        return SIDES[(SIDES.index(self.first) + number) % 2]

    def bot(self, number: int) -> Bot:
        """Who speaks that turn."""
        return self.a if self.side(number) == "a" else self.b

    def seed(self, seed: int, side: str) -> int:
        """The seed of a side."""
        return derived(seed, self.id, side)


@dataclass
class Talk:
    """A conversation as far as it has come; ``error`` says why it stopped before its end."""

    start: Start
    turns: list[Turn] = field(default_factory=list)
    error: str = ""
    cleaned: int = 0

    def __post_init__(self) -> None:
        given = self.start.opener
        self.turns = [Turn(self.start.side(i - len(given)), text) for i, text in enumerate(given)]

    @property
    def said(self) -> int:
        """Turns that were generated."""
        return len(self.turns) - len(self.start.opener)

    def hear(self, answer: Answer) -> None:
        """The next turn, or the end."""
        if answer.error:
            self.error = answer.error
        else:
            self.turns.append(Turn(self.start.side(self.said), answer.replies[0]))
            self.cleaned += answer.cleaned


def converse(
    starts: Sequence[Start],
    *,
    turns: int,
    seed: int = 0,
    told: Iterable[Step] = (),
    keep: Callable[[int, Step], None] = lambda number, step: None,
) -> list[Talk]:
    """Play a block of conversations; ``told`` are the steps that an earlier try kept, and ``keep`` is told each new one.

    A step holds an answer for every conversation that still goes on, in order. Replies depend on context and seed alone, so a
    block that goes on from kept steps ends as one that was never stopped.
    """
    talks, known = [Talk(start) for start in starts], iter(told)
    for number in range(turns):
        going = [talk for talk in talks if not talk.error]
        if not going:
            break
        step = next(known, None)
        if step is None:
            step = _ask(going, number, seed)
            keep(number, step)
        for talk, answer in zip(going, step, strict=True):
            talk.hear(answer)
    return talks


def _ask(going: Sequence[Talk], number: int, seed: int) -> Step:
    """One call for each bot whose turn it is."""
    waiting: dict[int, list[int]] = {}
    for row, talk in enumerate(going):
        waiting.setdefault(id(talk.start.bot(number)), []).append(row)
    answers: dict[int, Answer] = {}
    for rows in waiting.values():
        starts = [going[row].start for row in rows]
        seeds = [derived(start.seed(seed, start.side(number)), number) for start in starts]
        given = ask(starts[0].bot(number), [tuple(going[row].turns) for row in rows], seed=seeds)
        answers |= dict(zip(rows, given, strict=True))
    return [answers[row] for row in range(len(going))]
