"""How much one request, one client and all that wait may ask for."""

from __future__ import annotations

import math
from dataclasses import dataclass, fields

from dialometer.errors import UsageError

# The option that sets each limit, and the least that it may be.
OPTIONS = {
    "body": ("--max-body", 1),
    "messages": ("--max-messages", 1),
    "chars": ("--max-chars", 1),
    "n": ("--max-n", 1),
    "queue": ("--max-queue", 1),
    "timeout": ("--timeout", 0.001),
    "rate": ("--rate", 0.0),
}


@dataclass(frozen=True, slots=True)
class Limits:
    """Bytes of a body, messages, characters of a message, replies to one request, requests that wait for one bot, seconds until
    an answer, requests per second and client (0: any number)."""

    body: int = 1 << 20
    messages: int = 256
    chars: int = 16_384
    n: int = 16
    queue: int = 1024
    timeout: float = 60.0
    rate: float = 0.0

    def __post_init__(self) -> None:
        for field in fields(self):
            option, least = OPTIONS[field.name]
            value = getattr(self, field.name)
            if not math.isfinite(value) or value < least:
                raise UsageError(f"{option} is {least:g} or more, not {value:g}", f"leave it out for {field.default:g}")
