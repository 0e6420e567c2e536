"""Asking a bot so that nothing is lost: replies are checked and cleaned, and a failure costs its own context alone."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from dialometer.errors import BotError, DialometerError, PartlyFailed
from dialometer.protocols import Bot
from dialometer.text.chance import seeds_for
from dialometer.types import Turn

Context = tuple[Turn, ...]
_CONTROL = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u200b-\u200f\u202a-\u202e\u2066-\u2069\ufeff\ud800-\udfff]")


@dataclass(frozen=True)
class Answer:
    """What a bot said to one context, or why it said nothing; ``cleaned`` counts replies that held control characters."""

    replies: tuple[str, ...] = ()
    error: str = ""
    cleaned: int = 0


def ask(bot: Bot, contexts: Sequence[Context], *, n: int = 1, seed: int | Sequence[int] = 0) -> list[Answer]:
    """One answer per context; where a whole batch fails, each context is tried alone."""
    if not contexts:
        return []
    seeds = seeds_for(seed, contexts)
    try:
        replies: Sequence[object] = bot.reply(contexts, n=n, seed=seeds)
        if len(replies) != len(contexts):
            raise BotError(f"{bot.name} answered {len(replies)} of {len(contexts)} contexts")
        return [_checked(bot, given, n) for given in replies]
    except PartlyFailed as error:
        return [
            Answer(error=error.reasons[i]) if given is None else _checked(bot, given, n)
            for i, given in enumerate(error.replies)
        ]
    except Exception as error:  # a guest's bot may raise anything; it must not take the others with it
        if len(contexts) == 1:
            return [Answer(error=_reason(bot, error))]
    return [ask(bot, [context], n=n, seed=[one])[0] for context, one in zip(contexts, seeds, strict=True)]


def _checked(bot: Bot, given: object, n: int) -> Answer:
    """Exactly n texts; an empty text is an answer."""
    if not isinstance(given, list | tuple) or not all(isinstance(reply, str) for reply in given):
        return Answer(error=f"{bot.name} gave something that is not a list of texts")
    if len(given) < n:
        return Answer(error=f"{bot.name} gave {len(given)} replies where {n} were asked for")
    cleaned = [clean(reply) for reply in given[:n]]
    return Answer(tuple(cleaned), cleaned=sum(new != old.strip() for new, old in zip(cleaned, given[:n], strict=True)))


def clean(reply: str) -> str:
    """Without control characters, directions and broken surrogates; markup stays as it was said.

    >>> clean("hi\\x00 <b>there</b>\\x1b[0m ")
    'hi <b>there</b>[0m'
    """
    return _CONTROL.sub("", reply).strip()


def _reason(bot: Bot, error: Exception) -> str:
    if isinstance(error, DialometerError):
        return error.message
    return f"{bot.name} failed: {type(error).__name__}: {error}"
