"""Requests per second and client: a bucket of tokens each, filled at the rate that is allowed."""

from __future__ import annotations

import math
import time
from collections import OrderedDict
from collections.abc import Callable

CLIENTS = 10_000  # who was not seen for longest is forgotten first


class Rate:
    """At most ``rate`` requests per second and client, saved up for one second; a rate of 0 lets everybody pass.

    >>> now = 0.0
    >>> rate = Rate(2, clock=lambda: now)
    >>> [rate.wait("ann"), rate.wait("ann"), rate.wait("ann"), rate.wait("bob")]
    [0, 0, 1, 0]
    """

    def __init__(self, rate: float, clock: Callable[[], float] = time.monotonic) -> None:
        self.rate, self.most, self._clock = rate, max(1.0, rate), clock
        self._left: OrderedDict[str, tuple[float, float]] = OrderedDict()

    def wait(self, client: str) -> int:
        """Whole seconds until this client may come again; 0 lets it in now."""
        if not self.rate:
            return 0
        now = self._clock()
        tokens, since = self._left.pop(client, (self.most, now))
        tokens = min(self.most, tokens + (now - since) * self.rate)
        passes = tokens >= 1
        self._left[client] = (tokens - passes, now)
        if len(self._left) > CLIENTS:
            self._left.popitem(last=False)
        return 0 if passes else math.ceil((1 - tokens) / self.rate)
