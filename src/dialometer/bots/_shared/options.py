"""Checks of options that several bots have, with a way out that can be typed."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from dialometer.core.errors import UnknownName


def check_one_of(bot: Any, option: str, known: Sequence[str]) -> None:
    """A word among some."""
    if getattr(bot, option) not in known:
        named = [word for word in known if word]  # nothing at all may be known too, and cannot be typed
        raise UnknownName(f"{option} of {bot.name}", getattr(bot, option), named, hint=f"{bot.name}({option}={named[0]})")
