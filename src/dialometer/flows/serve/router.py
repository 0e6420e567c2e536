"""The bots of a server by name, each behind its queue, and whether the server still takes requests."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from concurrent.futures import Future
from itertools import count

from dialometer.bots._shared.ask import Answer
from dialometer.core.protocols import Bot
from dialometer.core.seeds import derived
from dialometer.flows.serve.batching import Batcher, Ticket
from dialometer.flows.serve.counters import Counters
from dialometer.flows.serve.errors import Refusal, stopping
from dialometer.flows.serve.request import Asked

_log = logging.getLogger(__name__)


class Desk:
    """Where requests are handed in.

    A request's own seed is the seed of its context, folded into 63 bits. One without a seed gets ``derived(seed, "request", k)``,
    k being how many of these came before it.
    """

    def __init__(
        self, bots: Mapping[str, Bot], *, size: int = 64, wait: float = 0.005, most: int = 1024, seed: int = 0
    ) -> None:
        self.counters = Counters()
        self.draining = False
        self.in_flight = 0  # chat requests whose answer is not yet sent to its end
        self.recipes = {name: bot.recipe for name, bot in bots.items()}
        self._seed, self._unseeded = seed, count()
        self._batchers = {
            name: Batcher(name, bot, self.counters, size=size, wait=wait, most=most) for name, bot in bots.items()
        }

    @property
    def names(self) -> list[str]:
        """The models."""
        return list(self._batchers)

    def bot(self, name: str) -> Bot:
        """The bot behind a name, or a refusal that lists the names."""
        if name not in self._batchers:
            known = ", ".join(self._batchers)
            raise Refusal(
                404, f"there is no model {name[:80]!r}; there are: {known}", code="model_not_found", param="model"
            )
        return self._batchers[name].bot

    def hand_in(self, asked: Asked) -> tuple[Future[Answer], int]:
        """Queue a request; its answer to come, and the seed that it gets."""
        if self.draining:
            raise stopping()
        follows = hasattr(self.bot(asked.model), "system")  # bots with such an option know what an instruction is
        context = (*asked.told, *asked.context) if follows else asked.context
        seed = derived(self._seed, "request", next(self._unseeded)) if asked.seed is None else asked.seed % 2**63
        return self._batchers[asked.model].put(Ticket(context, asked.n, seed)), seed

    def sent(self, model: str) -> None:
        """The answer to a request has left."""
        self._batchers[model].sent()

    def waiting(self) -> dict[str, int]:
        """How many requests wait for each bot."""
        return {name: len(batcher) for name, batcher in self._batchers.items()}

    def metrics(self) -> str:
        """All counts, for Prometheus."""
        return self.counters.text(self.waiting())

    def abandon(self) -> int:
        """Refuse all that is still unanswered; how many requests that were."""
        return sum(batcher.abandon() for batcher in self._batchers.values())

    def close(self, seconds: float = 1.0) -> bool:
        """End the threads and what bots have started; whether every thread ended."""
        self.draining = True
        ended = [batcher.close(seconds) for batcher in self._batchers.values()]
        for batcher in self._batchers.values():
            try:
                getattr(batcher.bot, "close", lambda: None)()
            except Exception as error:  # a guest's bot may raise anything; the others are closed all the same
                _log.warning("%s did not close: %s: %s", batcher.name, type(error).__name__, error)
        return all(ended)
