"""serve: which bots, where, and how much a client may ask for."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from dialometer.contracts.base import normalise_request
from dialometer.core.ranges import Batch, Bytes, Range, Seed, Size


@dataclass(frozen=True, slots=True)
class RequestLimits:
    """Bytes of a body, messages, characters of a message, replies to one request, requests that wait for one bot, seconds until
    an answer, requests per second and client (0: any number)."""

    body: int = 1 << 20
    messages: int = 256
    chars: int = 16_384
    n: int = 16
    queue: int = 1024
    timeout: float = 60.0
    rate: float = 0.0


@dataclass(frozen=True, slots=True)
class ServeRequest:
    """Which bots, where, how many requests at once, and how much a client may ask for."""

    bots: tuple[str, ...]
    names: tuple[str, ...] = ()
    host: str = "127.0.0.1"
    port: Annotated[int, Range(0, 65_535)] = 8000
    batch: Batch = 64
    wait: Annotated[float, Range(0, 10_000)] = 5.0  # milliseconds
    seed: Seed = 0
    token_env: str = ""
    max_body: Bytes = 1 << 20
    max_messages: Size = 256
    max_chars: Size = 16_384
    max_n: Annotated[int, Range(1, 10_000)] = 16
    max_queue: Size = 1024
    timeout: Annotated[float, Range(0.001, 1_000_000)] = 60.0
    rate: Annotated[float, Range(0, 1e9)] = 0.0
    grace: Annotated[float, Range(0, 1_000_000)] = 30.0

    def __post_init__(self) -> None:
        normalise_request(self)

    @property
    def limits(self) -> RequestLimits:
        """What a client may ask for."""
        sizes = (self.max_body, self.max_messages, self.max_chars, self.max_n, self.max_queue)
        return RequestLimits(*sizes, self.timeout, self.rate)
