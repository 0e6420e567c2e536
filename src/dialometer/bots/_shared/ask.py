"""Asking a bot so that nothing is lost: replies are checked and cleaned, and a failure costs its own context alone."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from dialometer.core.errors import BotError, DialometerError, PartlyFailed
from dialometer.core.protocols import Bot
from dialometer.core.seeds import seeds_for
from dialometer.core.types import Turn

Context = tuple[Turn, ...]
LONGEST = 500  # letters of a reason; a guest's error may quote a whole page
# Terminals' escape sequences as a whole; control characters, marks of direction, broken surrogates. The joiners U+200C and U+200D
# stay: emoji and several scripts are spelt with them.
_ESCAPE = re.compile(r"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\))")
_CONTROL = re.compile(
    r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u200b\u200e\u200f\u202a-\u202e\u2060\u2066-\u2069\ufeff\ud800-\udfff]"
)


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
        return [_checked(bot, given, n) for given in _whole(bot, bot.reply(contexts, n=n, seed=seeds), len(contexts))]
    except PartlyFailed as error:
        if len(error.replies) == len(contexts):
            return [_told(bot, error, number, n) for number in range(len(contexts))]
        reason = _reason(bot, error)
    except (Exception, SystemExit) as error:  # a guest's bot may raise anything; it must not take the others with it
        reason = _reason(bot, error)
    if len(contexts) == 1:
        return [_failed(reason)]
    return [ask(bot, [context], n=n, seed=[one])[0] for context, one in zip(contexts, seeds, strict=True)]


def _whole(bot: Bot, replies: object, contexts: int) -> Sequence[object]:
    """A list for every context."""
    if not isinstance(replies, list | tuple):
        raise BotError(f"{bot.name} gave {type(replies).__name__} where a list of replies per context was asked for")
    if len(replies) != contexts:
        raise BotError(f"{bot.name} answered {len(replies)} of {contexts} contexts")
    return replies


def _told(bot: Bot, error: PartlyFailed, number: int, n: int) -> Answer:
    """What a bot that failed in part said to one context, or its reason."""
    if error.replies[number] is None:
        return _failed(error.reasons.get(number) or f"{bot.name} gave no reply and no reason")
    return _checked(bot, error.replies[number], n)


def _checked(bot: Bot, given: object, n: int) -> Answer:
    """Exactly n texts; an empty text is an answer."""
    if not isinstance(given, list | tuple) or not all(isinstance(reply, str) for reply in given):
        return Answer(error=f"{bot.name} gave something that is not a list of texts")
    if len(given) < n:
        return Answer(error=f"{bot.name} gave {len(given)} replies where {n} were asked for")
    cleaned = [clean(reply) for reply in given[:n]]
    return Answer(tuple(cleaned), cleaned=sum(_CONTROL.search(reply) is not None for reply in given[:n]))


def clean(reply: str) -> str:
    """Without control characters, directions and broken surrogates; markup stays as it was said.

    >>> clean("hi\\x00 <b>there</b>\\x1b[0m ")
    'hi <b>there</b>'
    """
    return _CONTROL.sub(lambda found: " " if found[0].isspace() else "", _ESCAPE.sub("", reply)).strip()


def _failed(reason: str) -> Answer:
    """A reason on one line, and of a length that can be read."""
    line = " ".join(clean(reason).split())
    return Answer(error=line if len(line) <= LONGEST else f"{line[:LONGEST].rstrip()}…")


def _reason(bot: Bot, error: BaseException) -> str:
    if isinstance(error, DialometerError):
        return error.message
    return f"{bot.name} failed: {type(error).__name__}: {error}"
