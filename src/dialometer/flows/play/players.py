"""Who plays: bots with their names, metered; who meets whom; conversations in blocks of fixed size."""

from __future__ import annotations

import logging
import re
import time
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from dialometer.bots._shared.converse import SIDES, Start
from dialometer.core.errors import UsageError
from dialometer.core.registry import Spec, read_spec
from dialometer.core.types import Turn
from dialometer.flows.play.openers import Opener
from dialometer.flows.shared.bots import made

_log = logging.getLogger(__name__)
Spent = dict[str, float | None]  # None: nobody told
SPEAKERS = (*SIDES, "user")  # of every conversation that is played
LATEST = "latency"  # counts that begin so are no sums: the latest stands for all
_PLACE = re.compile(r"(?<![^\s;()=,\"'])/[^\s;()=,\"']+")  # an absolute path among other words


@dataclass
class Player:
    """A bot under the name that its conversations carry, with a meter: calls, contexts, seconds, and what the bot counts itself."""

    label: str
    bot: Any
    counted: dict[str, float] = field(default_factory=lambda: {"calls": 0, "contexts": 0, "seconds": 0.0})

    def __post_init__(self) -> None:
        self.name, self.version, self.recipe = self.bot.name, self.bot.version, self.bot.recipe
        self.remote, self.warned = bool(getattr(self.bot, "remote", False)), False

    def reply(self, contexts: Sequence[tuple[Turn, ...]], *, n: int = 1, seed: int | Sequence[int] = 0) -> list[list[str]]:
        """What the bot says, on the meter."""
        begun = time.perf_counter()
        try:
            said: list[list[str]] = self.bot.reply(contexts, n=n, seed=seed)
            return said
        finally:
            self.counted["calls"] += 1
            self.counted["contexts"] += len(contexts)
            self.counted["seconds"] += time.perf_counter() - begun

    def spent(self) -> Spent:
        """All that was counted so far; of the bot's own ``usage`` what is a number, or would be one."""
        own: Spent = {}
        try:
            usage: Mapping[str, Any] = getattr(self.bot, "usage", dict)()
            own = {key: value for key, value in usage.items() if value is None or type(value) in (int, float)}
        except Exception as error:  # what was said must not be lost over what it cost
            if not self.warned:
                _log.warning("%s cannot tell what it spent: %s", self.label, error)
            self.warned = True
        return {**own, **self.counted}

    def close(self) -> None:
        """End what the bot started; what was said is safe by now, whatever a guest does here."""
        try:
            getattr(self.bot, "close", lambda: None)()
        except Exception as error:
            _log.warning("%s could not be closed: %s", self.label, error)


def less(now: Spent, before: Spent) -> Spent:
    """What was spent between; of what nobody told, nobody knows."""
    return {key: value if _latest(key) else _sum(value, before.get(key, 0), -1) for key, value in now.items()}


def add_up(total: Spent, cost: Spent) -> None:
    """Costs onto a total."""
    for key, value in cost.items():
        total[key] = value if _latest(key) else _sum(value, total.get(key, 0))


def _latest(key: str) -> bool:
    return key.rpartition(" ")[2].startswith(LATEST)


def _sum(value: float | None, other: float | None, sign: int = 1) -> float | None:
    return None if value is None or other is None else value + sign * other


def make_players(
    specs: Sequence[str], partners: Sequence[str], names: Sequence[str] = ()
) -> tuple[list[Player], list[Player]]:
    """The bots, under their names where these are given, and their partners; a spec that is among both gives one bot."""
    if not specs:
        raise UsageError("no bot was named", "dialometer play --a eliza")
    _check_names(names, specs)
    groups = [[read_spec(spec) for spec in group] for group in (specs, partners)]
    if twice := [spec for group in groups for spec, times in Counter(group).items() if times > 1]:
        raise UsageError(f"the bot {twice[0]} is named twice", "name each once; -n says how many conversations")
    every = list(dict.fromkeys(groups[0] + groups[1]))
    bots = {spec: made(spec) for spec in every}
    labels = dict(zip(every, _labels(bots), strict=True)) | dict(zip(groups[0], names, strict=False))
    if shared := [label for label, times in Counter(labels.values()).items() if times > 1]:
        raise UsageError(
            f"two bots would be named {shared[0]!r}", "--name once per --a, each another, and none a partner's"
        )
    players = {spec: Player(labels[spec], bots[spec]) for spec in every}
    return [players[spec] for spec in groups[0]], [players[spec] for spec in groups[1]]


def _check_names(names: Sequence[str], specs: Sequence[str]) -> None:
    """As many as bots, and none that cannot be told from a speaker."""
    if names and len(names) != len(specs):
        told = f"--a was given {len(specs)} times and --name {len(names)} times"
        raise UsageError(told, "--name once per --a, in the same order, or not at all")
    for name in names:
        if not name.strip() or not name.isprintable():
            raise UsageError(f"{name!r} is no name for a bot", "--name kvmemnn")
        if name in SPEAKERS:
            raise UsageError(
                f"a bot cannot be named {name!r}, which is a speaker in its conversations", f"--name bot-{name}"
            )


def _labels(bots: Mapping[Spec, Any]) -> list[str]:
    """Short names: the spec, of folders and absolute paths the last part; where two are the same, what was typed."""
    short = [_short(spec, bot) for spec, bot in bots.items()]
    times = Counter(short)
    free = [label if times[label] == 1 else str(spec) for label, spec in zip(short, bots, strict=True)]
    return [f"./{label}" if label in SPEAKERS else label for label in free]


def _short(spec: Spec, bot: Any) -> str:
    """Without options that change no reply: who waits longer for a slow endpoint goes on with the same conversations."""
    fields = getattr(bot, "__dataclass_fields__", {})
    told = [(key, value) for key, value in spec.options if key not in fields or fields[key].metadata.get("label", True)]
    return str(_placeless(replace(spec, options=tuple(told))))


def _placeless(spec: Spec) -> Spec:
    """Of folders and absolute paths the last part: a bot is the same wherever it lies."""
    options = [
        (key, _placeless(value) if isinstance(value, Spec) else _PLACE.sub(lambda found: _folder_name(found[0]), value))
        for key, value in spec.options
    ]
    return Spec(_folder_name(spec.name) if "/" in spec.name else spec.name, tuple(options))


def _folder_name(path: str) -> str:
    parts = [part for part in Path(path).parts if part not in ("/", "..")]
    return next((part for part in reversed(parts) if part != "model"), path)


def meetings(player: Player, partners: Sequence[Player], openers: Sequence[Opener]) -> list[Start]:
    """A conversation per opener: with itself, or with the partners one after the other.

    With itself, side a begins, that is, replies to the opener. Of the conversations with one partner every second is begun by
    the partner, so that who begins and whom it meets are not confounded. Number i has the same opener, partner and beginner for
    every bot.
    """
    starts = []
    for number, opener in enumerate(openers):
        partner = partners[number % len(partners)] if partners else player
        first = SIDES[number // len(partners) % 2] if partners else "a"
        starts.append(Start(f"{player.label}-{number:04d}", opener.turns, player, partner, first))
    return starts
