"""What episodes begin with: contexts that neither the bot nor its judges were trained on."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from dialometer.core.errors import UsageError
from dialometer.flows.play.openers import Opener, choose
from dialometer.text.training_overlap import overlap

Turns = tuple[str, ...]


def unseen(openers: Sequence[Opener], things: Sequence[Any]) -> list[Opener]:
    """Those with a turn at least that is new to each of these things."""
    left = list(openers)
    for thing in things:
        if not hasattr(thing, "seen") or not getattr(thing, "fitted", True):
            continue
        known = thing.seen()
        left = [opener for opener in left if not overlap(opener.turns, known).all()]
    return left


def parted(openers: Sequence[Opener], check: int, seed: int) -> tuple[list[Turns], list[Turns]]:
    """Openers to look at the bot with, before and after, and others to learn from; both in an order that the seed decides."""
    if len(openers) <= check:
        raise UsageError(
            f"{check} openers are kept for looking at the bot before and after, and there are {len(openers)} in all",
            f"--check {max(len(openers) // 5, 1)}, or a file with more of them",
        )
    drawn = [opener.turns for opener in choose(openers, len(openers), seed)]
    return drawn[:check], drawn[check:]
