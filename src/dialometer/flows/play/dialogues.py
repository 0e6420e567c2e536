"""Conversations in the form of the house, ready for ``score``: what was given is the user's, what was generated the system's."""

from __future__ import annotations

from typing import Any

from dialometer.bots._shared.converse import SIDES, Talk
from dialometer.core.types import Dialogue, Turn
from dialometer.flows.play.openers import Opener

GIVEN = "user"  # who speaks the opener in the file: its turns are nobody's replies, and no metric scores them


def dialogue(talk: Talk, opener: Opener, seed: int, *, mirror: bool) -> Dialogue:
    """A conversation that was played; ``mirror`` says that both sides are the system's own.

    The group is the opener, so that conversations of several bots, and of several runs, pair.
    """
    start, given = talk.start, len(opener.turns)
    turns = [Turn(GIVEN, turn.text, extra={"given": True}) for turn in talk.turns[:given]] + talk.turns[given:]
    extra: dict[str, Any] = {
        "opener": opener.source,
        "opener_turns": given,
        "generated_turns": talk.said,
        "first": start.first,
        "bots": {side: getattr(start, side).label for side in SIDES},
        "recipes": {side: getattr(start, side).recipe for side in SIDES},
        "seeds": {side: start.seed(seed, side) for side in SIDES},
    }
    if not mirror:
        extra["rated_speaker"] = "a"
    if talk.cleaned:
        extra["cleaned"] = talk.cleaned
    if talk.error:
        extra |= {"error": talk.error, "stopped": len(talk.turns)}
    return Dialogue(start.id, extra["bots"]["a"], tuple(turns), group=opener.name, extra=extra)
