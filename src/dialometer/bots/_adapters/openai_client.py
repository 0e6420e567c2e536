"""A client of an OpenAI-compatible endpoint: connections, limits and retries."""

from __future__ import annotations

import asyncio
import random
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from dialometer.bots._adapters.event_loop import BackgroundLoop
from dialometer.bots._adapters.openai_response import ChatCompletion, EndpointError, read_response
from dialometer.bots._adapters.rate_limit import RateLimiter, gap_of
from dialometer.bots._adapters.usage import Usage
from dialometer.bots._shared.messages import Context, halved, messages
from dialometer.bots._shared.outcome import Outcome
from dialometer.core.seeds import derived

if TYPE_CHECKING:
    from dialometer.bots.openai import Openai

FIRST, LONGEST = 0.5, 30.0  # seconds of back-off: the first, doubled each time, and the longest
PATIENCE = 300.0  # seconds: who asks for a longer pause than that gets no further request
ENOUGH = 3  # contexts in a row that could not reach the endpoint: then the others are not sent


@dataclass
class _Batch:
    """What the contexts of one call share: how many in a row could not reach the endpoint, and the error that holds for all."""

    lost: int = 0
    closed: EndpointError | None = None


class OpenAIClient:
    """One per bot, kept from call to call; a copy starts without connections."""

    def __init__(self) -> None:
        self.loop, self.limiter, self.usage = BackgroundLoop(), RateLimiter(), Usage()
        self._client: Any = None
        self._gate: asyncio.Semaphore | None = None
        self._without: set[str] = set()  # fields that this endpoint does not know

    def __reduce__(self) -> tuple[type[OpenAIClient], tuple[()]]:
        return type(self), ()

    def ask(self, bot: Openai, contexts: list[Context], n: int, seeds: list[int]) -> list[Outcome]:
        """n texts or a reason for each context."""
        return self.loop.run(self._all(bot, contexts, n, seeds))

    def close(self) -> None:
        """Close the connections."""
        if self._client is not None:
            self.loop.run(self._client.aclose())
            self._client = self._gate = None
        self.loop.close()

    async def _all(self, bot: Openai, contexts: list[Context], n: int, seeds: list[int]) -> list[Outcome]:
        if self._client is None or self._gate is None:
            self._client, self._gate = bot.client(), asyncio.Semaphore(bot.concurrency)
        gate, batch = self._gate, _Batch()

        async def one(context: Context, seed: int) -> Outcome:
            try:
                async with gate:  # while it waits for another try too: few find out for all that it cannot be reached
                    return await self._texts(bot, context, n, seed, batch)
            except EndpointError as error:
                self.usage.failures += 1
                return bot.hidden(f"{bot.model} at {bot.url}: {error.reason}")

        return await asyncio.gather(*(one(*pair) for pair in zip(contexts, seeds, strict=True)))

    async def _texts(self, bot: Openai, context: Context, n: int, seed: int, batch: _Batch) -> list[str]:
        """As many requests as n texts take, each with a seed of its own."""
        got: list[str] = []
        tries = made = 0
        while len(got) < n:
            try:
                body = bot.body(messages(context, bot.system), n - len(got), derived(seed, made) if made else seed)
                got += (await self._once(bot, body, batch)).texts
                batch.lost, made = 0, made + 1
            except EndpointError as error:
                if error.kind == "long" and (shorter := halved(context)) is not None:
                    context = shorter
                    self.usage.cut += 1
                elif error.kind == "field" and error.field not in self._without:
                    self._without.add(error.field)
                else:
                    await self._after(error, tries, bot.retries, batch)
                    tries, made = tries + 1, made + (error.kind == "empty")
        return got[:n]

    async def _once(self, bot: Openai, body: dict[str, Any], batch: _Batch) -> ChatCompletion:
        """One request, when the limits allow it."""
        import httpx

        if batch.closed:
            raise batch.closed
        if batch.lost >= ENOUGH:
            raise EndpointError("closed", f"not sent, since {ENOUGH} others could not reach it")
        await self.limiter.wait(gap_of(bot.rate, "openai(rate=…)"))
        self.usage.requests += 1
        began = self.limiter.clock()
        try:
            answer = await self._client.post(bot.address, json=self._known(body), headers=bot.headers())
        except httpx.TimeoutException:
            raise EndpointError("down", f"no answer within {bot.timeout:g} s") from None
        except httpx.RequestError as error:
            raise EndpointError("down", f"it cannot be reached ({error or type(error).__name__})") from None
        said = read_response(answer.status_code, answer.headers, answer.text)
        self.usage.answered(self.limiter.clock() - began, said.tokens)
        return said

    async def _after(self, error: EndpointError, tries: int, retries: int, batch: _Batch) -> None:
        """Wait before another try, or raise where none would help."""
        if error.kind == "closed":
            batch.closed = error
        if error.kind == "empty":
            retries = min(retries, 1)
        hopeless = error.kind in ("closed", "refused", "long", "field") or (error.wait or 0) > PATIENCE
        if hopeless or tries >= retries or (error.kind == "down" and batch.lost):
            batch.lost += error.kind == "down"
            raise error
        self.usage.retries += 1
        jitter = random.uniform(0.5, 1)  # so that those who failed together do not come back together
        backoff = min(FIRST * 2**tries, LONGEST) * jitter
        if error.wait is not None:
            self.limiter.pause(error.wait)
        await self.limiter.sleep(max(backoff, error.wait or 0))

    def _known(self, body: dict[str, Any]) -> dict[str, Any]:
        """The request without fields that this endpoint turned down; its newer name for one of them."""
        kept = {key: value for key, value in body.items() if key not in self._without}
        if "max_tokens" in self._without and "max_tokens" in body:
            kept["max_completion_tokens"] = body["max_tokens"]
        return kept
