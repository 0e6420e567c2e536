"""Bots that are ready to be talked to."""

from __future__ import annotations

import logging
from shlex import quote
from typing import Any

from dialometer.core.errors import BotError, DialometerError, UsageError
from dialometer.core.protocols import Bot
from dialometer.core.registry import Spec, create
from dialometer.core.types import Turn

_log = logging.getLogger(__name__)


def load(spec: str) -> Bot:
    """A bot that is ready: made, fitted, and greeted once, since many load what they need when they are first asked."""
    bot = made(spec)
    if getattr(bot, "remote", False):  # a call of somebody else's endpoint may cost money; its options can be looked at
        _ = bot.recipe
    else:
        _greet(bot, spec)
    ready: Bot = bot
    return ready


def made(spec: str | Spec) -> Any:
    """A bot from its spec; one that is still to be trained is refused."""
    bot: Any = create("bot", spec)
    if not getattr(bot, "fitted", True):
        way = f"dialometer train {quote(str(spec))} FILE… -o runs/{bot.name}, then runs/{bot.name} in its place"
        raise UsageError(f"{spec} has not been trained yet", way)
    return bot


def _greet(bot: Bot, spec: str) -> None:
    """What is missing ends the start; a bot that merely has no answer to this may have one to something else."""
    try:
        bot.reply([(Turn("user", "hello"),)], n=1, seed=[0])
    except BotError as error:
        _log.warning("%s did not answer a greeting: %s", spec, error.message)
    except DialometerError:
        raise
    except Exception as error:  # a guest's bot may raise anything
        _log.warning("%s did not answer a greeting: %s: %s", spec, type(error).__name__, error)
