"""Dynamic batching: a thread per bot answers everything that waits, in one call where it can.

A lone request on an idle bot is answered at once. Where requests came in company last time, or do so now, the thread waits for more
of them: their senders were all answered together, and are about to ask again once their answers have reached them. It waits as long
as answers still go out or requests still come in, with no more than some milliseconds between them, and at most a quarter of the
time that the last batch took.
"""

from __future__ import annotations

import threading
import time
from collections import deque
from concurrent.futures import Future, InvalidStateError
from contextlib import suppress
from dataclasses import dataclass, field

from dialometer.bots._shared.ask import Answer, Context, ask
from dialometer.core.errors import BotError
from dialometer.core.protocols import Bot
from dialometer.flows.serve.counters import Counters
from dialometer.flows.serve.errors import Refusal, stopping


@dataclass(frozen=True, eq=False, slots=True)
class Ticket:
    """One request that waits for its answer."""

    context: Context
    n: int
    seed: int
    future: Future[Answer] = field(default_factory=Future)


class Batcher:
    """The queue of one bot and the thread that works it off, at most ``size`` requests at a time."""

    def __init__(
        self, name: str, bot: Bot, counters: Counters, *, size: int = 64, wait: float = 0.005, most: int = 1024
    ) -> None:
        self.name, self.bot = name, bot
        self._counters, self._size, self._wait, self._most = counters, size, wait, most
        self._changed = threading.Condition()
        self._waiting: deque[Ticket] = deque()
        self._running: list[Ticket] = []
        self._closing = False
        self._events = 0  # requests that came and answers that left
        self._last = (0, 0.0)  # requests of the last batch, and seconds that it took
        self._thread = threading.Thread(target=self._work, name=f"bot {name}", daemon=True)
        self._thread.start()

    def __len__(self) -> int:
        """How many requests wait."""
        return len(self._waiting)

    def put(self, ticket: Ticket) -> Future[Answer]:
        """Queue a request; a full queue refuses it."""
        with self._changed:
            if self._closing:
                raise stopping()
            if len(self._waiting) >= self._most:  # those whose sender has gone take no place
                self._waiting = deque(ticket for ticket in self._waiting if not ticket.future.cancelled())
            if len(self._waiting) >= self._most:
                raise Refusal(429, f"{self._most} requests wait for {self.name}", code="queue_full", retry=1)
            self._waiting.append(ticket)
            self._event()
        return ticket.future

    def sent(self) -> None:
        """An answer has left, or its sender has gone."""
        with self._changed:
            self._event()

    def close(self, seconds: float) -> bool:
        """Work off what waits and end the thread; whether it ended in time."""
        with self._changed:
            self._closing = True
            self._changed.notify()
        self._thread.join(seconds)
        return not self._thread.is_alive()

    def abandon(self) -> int:
        """Give up everything that waits or is being answered; how many requests that were."""
        with self._changed:
            given_up = [*self._running, *self._waiting]
            self._waiting.clear()
        return sum(_settle(ticket.future, stopping()) for ticket in given_up)

    def _event(self) -> None:
        self._events += 1
        self._changed.notify()

    def _work(self) -> None:
        while not self._closing or self._waiting:
            self._take()
            begun = time.monotonic()
            groups: dict[int, list[Ticket]] = {}
            for ticket in self._running:
                groups.setdefault(ticket.n, []).append(ticket)
            for n, group in groups.items():
                self._answer(n, group)
            self._last = len(self._running), time.monotonic() - begun
            self._running = []

    def _take(self) -> None:
        """Make the next batch the running one; requests whose sender has gone are left out."""
        with self._changed:
            while not self._waiting and not self._closing:
                self._changed.wait()
            self._gather()
            taken = [self._waiting.popleft() for _ in range(min(self._size, len(self._waiting)))]
            self._running = [ticket for ticket in taken if ticket.future.set_running_or_notify_cancel()]

    def _gather(self) -> None:
        """Wait for company, where there is reason to expect some."""
        size, seconds = self._last
        end = time.monotonic() + seconds / 4  # a bot that answers at once has nothing to gain
        expected = self._wait > 0 and max(size, len(self._waiting)) > 1
        while expected and len(self._waiting) < self._size and not self._closing:
            before = self._events
            self._changed.wait(max(0.0, min(self._wait, end - time.monotonic())))
            expected = self._events > before and time.monotonic() < end

    def _answer(self, n: int, group: list[Ticket]) -> None:
        self._counters.batch(self.name, len(group))
        try:
            answers = ask(self.bot, [ticket.context for ticket in group], n=n, seed=[ticket.seed for ticket in group])
            if len(answers) != len(group):
                raise BotError(f"{self.name} answered {len(answers)} of {len(group)} contexts")
        except BaseException as error:  # a guest's bot may even call sys.exit; the thread has others to answer
            answers = [Answer(error=f"{self.name} failed ({type(error).__name__})")] * len(group)
        for ticket, answer in zip(group, answers, strict=True):
            self._counters.answer(self.name, answer)
            _settle(ticket.future, answer)


def _settle(future: Future[Answer], outcome: Answer | Refusal) -> bool:
    """Tell the sender, unless somebody was quicker."""
    with suppress(InvalidStateError):
        if isinstance(outcome, Refusal):
            future.set_exception(outcome)
        else:
            future.set_result(outcome)
        return True
    return False
