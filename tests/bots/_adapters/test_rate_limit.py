"""How fast requests follow each other, on a clock of the test's own."""

import asyncio

import pytest

from dialometer.bots._adapters.rate_limit import RateLimiter


def test_a_pause_is_for_everybody():
    """On a clock that moves only by sleeping: who comes inside the pause waits for its end, who comes later does not."""
    limiter, now, slept = RateLimiter(), [100.0], []

    async def sleep(seconds):
        slept.append(seconds)
        now[0] += seconds

    limiter.clock, limiter.sleep = (lambda: now[0]), sleep
    limiter.pause(7.0)
    limiter.pause(3.0)  # a shorter one does not end it
    now[0] = 102.0
    asyncio.run(limiter.wait(0.0))
    assert (now, slept) == ([107.0], [5.0])
    asyncio.run(limiter.wait(0.0))
    assert slept == [5.0]


def test_no_two_start_within_the_gap():
    """Many at once, on a clock that moves to the next sleeper: slots are given out one by one."""
    limiter, starts, now = RateLimiter(), [], [0.0]
    sleepers = []

    async def sleep(seconds):
        event = asyncio.Event()
        sleepers.append((now[0] + seconds, event))
        await event.wait()

    async def tick():
        while len(starts) < 10:
            await asyncio.sleep(0)
            if sleepers:
                sleepers.sort(key=lambda pair: pair[0])
                now[0], event = sleepers.pop(0)
                event.set()

    async def one():
        await limiter.wait(0.5)
        starts.append(now[0])

    async def all_of_them():
        await asyncio.gather(tick(), *(one() for _ in range(10)))

    limiter.clock, limiter.sleep = (lambda: now[0]), sleep
    asyncio.run(all_of_them())
    assert starts == pytest.approx([0.5 * k for k in range(10)])
