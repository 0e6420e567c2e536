"""How much one request, one client and all that wait may ask for."""

from __future__ import annotations

from dataclasses import dataclass


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
