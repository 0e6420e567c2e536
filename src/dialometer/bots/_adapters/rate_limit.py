"""How fast requests may follow each other: an even rate, and a pause for all when an endpoint asks for one."""

from __future__ import annotations

import asyncio
import re
import time
from collections.abc import Awaitable, Callable

from dialometer.core.errors import SpecError
from dialometer.core.ranges import shown

_SECONDS = {"s": 1.0, "m": 60.0, "h": 3600.0}


def gap_of(rate: str, where: str) -> float:
    """Seconds between two requests.

    >>> gap_of("30/m", "openai(rate=…)"), gap_of("", "")
    (2.0, 0.0)
    """
    if not rate:
        return 0.0
    found = re.fullmatch(r"(\d+(?:\.\d+)?)/([smh])", rate)
    if found is None or not 1e-6 <= float(found[1]) <= 1e9:
        raise SpecError(
            f"{where} is a number per second or minute such as 5/s or 60/m, 1e-06 to 1e+09, not {shown(rate)}", "rate=60/m"
        )
    return _SECONDS[found[2]] / float(found[1])


class RateLimiter:
    """Hands out moments to start at; clock and sleep may be replaced."""

    def __init__(self) -> None:
        self.clock: Callable[[], float] = time.monotonic
        self.sleep: Callable[[float], Awaitable[None]] = asyncio.sleep
        self._next = 0.0
        self._pause = 0.0

    async def wait(self, gap: float) -> None:
        """Until this request may start; no two start within ``gap`` seconds, and none inside a pause."""
        at = max(self.clock(), self._next)
        self._next = at + gap
        while (now := self.clock()) < max(at, self._pause):
            await self.sleep(max(at, self._pause) - now)

    def pause(self, seconds: float) -> None:
        """Nobody starts for so long."""
        self._pause = max(self._pause, self.clock() + seconds)
