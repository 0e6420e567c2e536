"""``rerank``: candidates of one or several bots, the best by any metric first (Deriu and Cieliebak 2019, §5.1: the meta-bot).

The metric must do without references: it sees the context and a candidate, and nothing else is known of either.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import cycle, islice
from typing import Annotated, Any, ClassVar

import numpy as np

from dialometer.bots._shared.ask import Answer, ask, clean
from dialometer.bots._shared.outcome import Outcome, settled
from dialometer.core.errors import NeedsError, SpecError, UnknownName
from dialometer.core.protocols import Bot, Fits, Metric, Prepares
from dialometer.core.ranges import Range, check_fields
from dialometer.core.recipes import recipe, short
from dialometer.core.registry import create
from dialometer.core.seeds import derived, seeds_for
from dialometer.core.types import Example, Turn
from dialometer.text.corpus import Corpus

_WAY = 'rerank(bot=eliza,metric=length), or rerank(bots="eliza;parrot",metric=length) for several'
_BETWEEN = re.compile(r";(?![^()]*\))")  # a semicolon inside brackets belongs to a bot's own options


@dataclass(frozen=True)
class Rerank:
    """``bot``, or ``bots`` with semicolons between them, give k candidates each; ``metric`` puts them in order.

    ``column`` is the metric's first unless it is named; ``lowest=true`` puts the lowest first. What has no words or no score comes
    last, and of equals the earlier candidate first. A bot that fails for a context does not take part there.

    >>> bot = Rerank(bots="parrot; constant(text=no)", metric="length")
    >>> bot.reply([(Turn("a", "tea ?"),)], n=2)
    [['tea ?', 'no']]
    """

    bot: str = ""
    bots: str = ""
    metric: str = ""
    k: Annotated[int, Range(1, 10_000)] = 10
    column: str = ""
    lowest: bool = False

    name: ClassVar[str] = "rerank"
    version: ClassVar[int] = 1

    def __post_init__(self) -> None:
        if bool(self.bot) == bool(self.bots):
            raise SpecError("rerank wants candidates: bot=… for one bot, or bots=… for several", _WAY)
        if not self.metric:
            raise SpecError("rerank wants the metric that puts candidates in order", _WAY)
        check_fields(self)

    @property
    def recipe(self) -> str:
        """Options, with the recipes of bots and metric in the place of their specs, which may name folders."""
        bots = ";".join(bot.recipe for bot in self._bots)
        return short(replace(self, bot="", bots=bots, metric=recipe(self._judge))).replace("|", "/")

    @property
    def remote(self) -> bool:
        """Whether one of the bots may say something else the next time."""
        return any(getattr(bot, "remote", False) for bot in self._bots)

    def reply(self, contexts: Sequence[tuple[Turn, ...]], *, n: int = 1, seed: int | Sequence[int] = 0) -> list[list[str]]:
        """The n best per context, different ones first."""
        judge, bots, seeds = self._judge, self._bots, seeds_for(seed, contexts)
        answers = [
            ask(bot, contexts, n=max(self.k, n), seed=[derived(one, number) for one in seeds] if number else seeds)
            for number, bot in enumerate(bots)
        ]
        given = [[text for bot in answers for text in bot[i].replies] for i in range(len(contexts))]
        scores = iter(self._scores(judge, contexts, given))
        outcomes: list[Outcome] = []
        for i, texts in enumerate(given):
            ranked = sorted(zip((next(scores) for _ in texts), texts, strict=True), key=_place)
            best = dict.fromkeys(text for _, text in ranked)
            outcomes.append(list(islice(cycle(best), n)) if best else _reasons([bot[i] for bot in answers]))
        return settled(outcomes, "name further bots: rerank(bots=…)")

    def usage(self) -> dict[str, Any]:
        """What the calls of those bots that count them have cost so far; with the bot's spec before it where there are several."""
        told: list[tuple[str, dict[str, Any]]] = [
            ("" if self.bot else f"{spec}: ", getattr(bot, "usage", dict)())
            for spec, bot in zip(self._specs, self._bots, strict=True)
        ]
        return {f"{before}{key}": value for before, usage in told for key, value in usage.items()}

    def close(self) -> None:
        """End what the bots started."""
        for bot in self.__dict__.get("_bots", ()):  # those that were never asked have started nothing
            getattr(bot, "close", lambda: None)()

    def _scores(self, judge: Metric, contexts: Sequence[tuple[Turn, ...]], given: Sequence[Sequence[str]]) -> list[float]:
        """One number per candidate, all of them measured at once; the higher the better, NaN where there is none."""
        if not any(given):
            return []
        plain = [tuple(Turn(turn.speaker, clean(turn.text)) for turn in context) for context in contexts]
        examples = [
            Example(f"{i}#{k}", plain[i], text, group=str(i))
            for i, texts in enumerate(given)
            for k, text in enumerate(texts)
        ]
        corpus = Corpus.build(examples, contexts="context" in judge.needs | getattr(judge, "uses", frozenset()))
        column = judge.columns.index(self.column or judge.columns[0])
        values = judge.finish(judge.measure(corpus), level="item")[:, column]
        return [float(value) for value in (-values if self.lowest else values)]

    @property
    def _specs(self) -> list[str]:
        return [self.bot] if self.bot else [part.strip() for part in _BETWEEN.split(self.bots) if part.strip()]

    @cached_property
    def _bots(self) -> list[Bot]:
        made: list[Any] = [create("bot", spec) for spec in self._specs]
        for bot in made:
            if isinstance(bot, Fits) and not bot.fitted:
                raise NeedsError(
                    f"rerank asks {bot.name}, which has not been fitted",
                    f"dialometer train {bot.name} FILE… and the folder it prints: rerank(bot=RUN,…)",
                )
        return made

    @cached_property
    def _judge(self) -> Metric:
        """The metric, refused before any work where it cannot put candidates in order."""
        made: Any = create("metric", self.metric)
        if not isinstance(made, Metric) or isinstance(made, Prepares) or made.unit != "response":
            raise SpecError(f"{made.name} does not score a response by itself, and rerank needs that", _WAY)
        if lacking := sorted(made.needs - {"context"}):
            raise NeedsError(
                f"{made.name} needs a {lacking[0]}, and a candidate reply has none",
                "dialometer list metrics --without reference",
            )
        if not getattr(made, "fitted", True):
            raise NeedsError(
                f"rerank goes by {made.name}, which has not been trained",
                f"dialometer train {made.name} RATED… -q QUALITY and the folder it prints: rerank(metric=RUN,…)",
            )
        if self.column and self.column not in made.columns:
            raise UnknownName(f"column of {made.name}", self.column, made.columns, hint="dialometer list metrics")
        return made


def _place(candidate: tuple[float, str]) -> tuple[bool, bool, float]:
    """Texts with a score, the highest first; then those without one; then those without words."""
    score, text = candidate
    return not text.strip(), bool(np.isnan(score)), 0.0 if np.isnan(score) else -score


def _reasons(answers: Sequence[Answer]) -> str:
    """Why nobody had a candidate."""
    return "; ".join(dict.fromkeys(answer.error for answer in answers)) or "no bot gave a candidate"
