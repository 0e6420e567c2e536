"""Options of ``train --reward JUDGE``, and the request they make."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import fields
from typing import TYPE_CHECKING, Any

import click
from click.core import ParameterSource

from dialometer.core.errors import UsageError

if TYPE_CHECKING:
    from dialometer.contracts.train_policy import PolicyResult
    from dialometer.core.protocols import Progress

SHARED = {"spec", "files", "inputs", "where", "format", "max_line", "seed", "output", "fresh", "config", "as_json", "quiet"}


def _number(name: str, default: float, about: str) -> Callable[..., Any]:
    return click.option(f"--{name}", default=default, show_default=True, type=type(default), help=f"Reward: {about}.")


OPTIONS = (
    click.option(
        "--reward", default="", metavar="SPEC", help="A judge, or any metric without references: NAME learns by it."
    ),
    click.option(
        "--watch", multiple=True, metavar="SPEC", help="Reward: a metric to look at, which does not pay; repeats."
    ),
    click.option(
        "--column", default="", metavar="NAME", help="Reward: the metric's column that pays; its first unless named."
    ),
    click.option("--lowest", is_flag=True, help="Reward: low values pay."),
    click.option(
        "--partner", default="", metavar="BOT", help="Reward: who answers, and learns nothing; itself unless named."
    ),
    _number("episodes", 640, "conversations in all"),
    _number("batch", 8, "conversations of a step"),
    _number("turns", 10, "turns of a conversation"),
    _number("rate", 5e-4, "Adam's rate"),
    click.option("--baseline", default="batch", show_default=True, metavar="WAY", help="Reward: batch, moving or none."),
    click.option("--credit", default="return", show_default=True, metavar="WAY", help="Reward: return, or rest of it."),
    _number("kl", 0.0, "what a nat away from the bot as it was costs"),
    _number("penalty", 0.0, "what an empty, repeated or universal reply costs"),
    _number("entropy", 0.0, "what a nat of entropy earns"),
    _number("temperature", 1.0, "of the draws"),
    _number("least", 0, "symbols before a reply may end"),
    click.option("--no-stop", "stop", flag_value=False, default=True, help="Reward: go on when the watch rings."),
    _number("check", 20, "openers kept for a look before and after"),
    _number("context", 0, "turns of an opener; 0 takes it whole"),
)


def reward_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """All of them on a command, in this order."""
    for option in reversed(OPTIONS):
        command = option(command)
    return command


def split_reward(ctx: click.Context, options: dict[str, Any]) -> dict[str, Any]:
    """Takes the options of a reward out of those of ``train``; nothing remains of them where no reward was asked for."""
    from dialometer.contracts.train_policy import RewardRequest

    own = {field.name for field in fields(RewardRequest)} - SHARED
    taken = {key: options.pop(key) for key in list(options) if key in own}
    others = own - {"reward"} if not taken["reward"] else set(options) - SHARED
    for key in sorted(others):
        given = (taken if key in taken else options).get(key)
        if ctx.get_parameter_source(key) is not ParameterSource.DEFAULT or not _default(ctx, key, given):
            how = "does not go with --reward" if taken["reward"] else "goes with --reward JUDGE"
            raise UsageError(
                f"--{key.replace('_', '-')} {how}", "dialometer train runs/hred OPENERS.jsonl --reward autojudge"
            )
    return taken if taken["reward"] else {}


def _default(ctx: click.Context, key: str, given: Any) -> bool:
    """Whether an option has the value it has unless a file of options says otherwise."""
    known = next((option for option in ctx.command.params if option.name == key), None)
    return known is None or given in (known.get_default(ctx), None, (), "")


def learn(options: dict[str, Any], taken: dict[str, Any], progress: Progress) -> PolicyResult:
    """Run it."""
    from dialometer.contracts.train_policy import RewardRequest
    from dialometer.flows.train_policy.train_policy import train_reward

    shared = {key: options[key] for key in ("spec", "format", "max_line", "seed", "output", "fresh")}
    taken |= {"watch": tuple(taken["watch"]), "where": tuple(options["where"]), "inputs": tuple(options["files"])}
    return train_reward(RewardRequest(**shared, **taken), progress=progress)
