"""Checks of options that several bots have, with a way out that can be typed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from dialometer.errors import SpecError, UnknownName


def check_least(bot: Any, least: Mapping[str, int]) -> None:
    """Whole numbers that are not too small."""
    for option, value in least.items():
        if getattr(bot, option) < value:
            usual = type(bot).__dataclass_fields__[option].default
            raise SpecError(
                f"{bot.name}({option}=…) is {value} or more, not {getattr(bot, option)}", f"{bot.name}({option}={usual})"
            )


def check_share(bot: Any, *options: str) -> None:
    """Numbers from 0 to below 1."""
    for option in options:
        if not 0 <= getattr(bot, option) < 1:
            raise SpecError(
                f"{bot.name}({option}=…) is at least 0 and below 1, not {getattr(bot, option)}", f"{bot.name}({option}=0.2)"
            )


def check_one_of(bot: Any, option: str, known: Sequence[str]) -> None:
    """A word among some."""
    if getattr(bot, option) not in known:
        named = [word for word in known if word]  # nothing at all may be known too, and cannot be typed
        raise UnknownName(f"{option} of {bot.name}", getattr(bot, option), named, hint=f"{bot.name}({option}={named[0]})")
