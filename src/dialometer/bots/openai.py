"""``openai``: a chat model behind any OpenAI-compatible endpoint (``/chat/completions``), hosted or on this machine."""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from importlib.util import find_spec
from typing import TYPE_CHECKING, Annotated, Any, ClassVar
from urllib.parse import urlsplit

from dialometer.bots._adapters.openai_client import OpenAIClient
from dialometer.bots._adapters.rate_limit import gap_of
from dialometer.bots._shared.messages import Message, cut
from dialometer.bots._shared.outcome import settled
from dialometer.core.artifacts import digest
from dialometer.core.errors import BotError, MissingResource, SpecError
from dialometer.core.ranges import Count, Parallel, Range, Retries, Seconds, check_fields
from dialometer.core.recipes import short
from dialometer.core.seeds import seeds_for
from dialometer.core.types import Turn

if TYPE_CHECKING:
    from httpx import AsyncClient

OWN = -1.0  # of a number: the endpoint's own choice, nothing is sent; of a price: unknown
_COMPLETIONS = "/chat/completions"
_UNSHOWN = {"recipe": False}
_HOW = {"recipe": False, "label": False}  # how it is asked, which changes no reply


@dataclass(frozen=True)
class Openai:
    """``url`` ends before ``/chat/completions``; ``key`` is the *name* of an environment variable that holds the key.

    ``temperature``, ``top_p`` and ``max_tokens`` are sent if they are set. The latest ``window`` turns and ``characters`` of a
    context are sent (0: all), and fewer where the endpoint says that it is too long. ``rate`` is 5/s or 60/m; prices are per
    million tokens.
    """

    url: str = "https://api.openai.com/v1"
    model: str = ""
    key: str = field(default="OPENAI_API_KEY", metadata=_HOW)
    system: str = field(default="", metadata=_UNSHOWN)  # the recipe has a hash of it instead
    temperature: Annotated[float, Range(0, 100, unset=OWN)] = OWN
    top_p: Annotated[float, Range(0, 1, unset=OWN)] = OWN
    max_tokens: Count = 0
    window: Count = 0
    characters: Count = 0
    timeout: Seconds = field(default=60.0, metadata=_HOW)
    retries: Retries = field(default=5, metadata=_HOW)
    concurrency: Parallel = field(default=8, metadata=_HOW)
    rate: str = field(default="", metadata=_HOW)
    price_in: Annotated[float, Range(0, 1e12, unset=OWN)] = field(default=OWN, metadata=_UNSHOWN)
    price_out: Annotated[float, Range(0, 1e12, unset=OWN)] = field(default=OWN, metadata=_UNSHOWN)
    connection: OpenAIClient = field(default_factory=OpenAIClient, init=False, repr=False, compare=False)

    name: ClassVar[str] = "openai"
    version: ClassVar[int] = 1
    remote: ClassVar[bool] = True

    def __post_init__(self) -> None:
        check_fields(self)
        if self.key and not re.fullmatch(r"[A-Z_][A-Z0-9_]*", self.key):  # it may be a key: it is not repeated
            raise SpecError(
                "openai(key=…) is the name of an environment variable in capitals, never the key itself",
                "export MY_KEY=…, then openai(key=MY_KEY,model=NAME)",
            )
        if not _usable(self.url):  # it may hold a password: it is not repeated
            raise SpecError(
                "openai(url=…) is an http or https address without a password",
                "openai(url=http://127.0.0.1:8000/v1,model=NAME)",
            )
        gap_of(self.rate, "openai(rate=…)")

    @property
    def recipe(self) -> str:
        """Address, model and what shapes the replies; never the key."""
        self._check()
        return short(self, digest(self.system.encode()) if self.system else "")

    @property
    def address(self) -> str:
        """Where chat completions are asked for."""
        parts = urlsplit(self.url)
        path = parts.path.rstrip("/").removesuffix(_COMPLETIONS)
        return parts._replace(path=path + _COMPLETIONS).geturl()

    def reply(self, contexts: Sequence[tuple[Turn, ...]], *, n: int = 1, seed: int | Sequence[int] = 0) -> list[list[str]]:
        """n texts per context, asked for side by side; what cannot be had fails alone, after retries."""
        self._check()
        self._secret()
        shorter = [cut(context, turns=self.window, characters=self.characters) for context in contexts]
        seeds = seeds_for(seed, contexts)
        return settled(self.connection.ask(self, shorter, n, seeds), self._way_out())

    def usage(self) -> dict[str, float | int | None]:
        """Requests, retries, failures, tokens, cost and latency so far."""
        return self.connection.usage.report(self.price_in, self.price_out)

    def close(self) -> None:
        """Close the connections."""
        self.connection.close()

    def client(self) -> AsyncClient:
        """An HTTP client; a proxy of the environment is not asked for what runs on this machine."""
        import httpx

        here = urlsplit(self.url).hostname in ("localhost", "127.0.0.1", "::1")
        limits = httpx.Limits(max_connections=self.concurrency)
        return httpx.AsyncClient(timeout=self.timeout, limits=limits, trust_env=not here)

    def body(self, asked: list[Message], n: int, seed: int) -> dict[str, Any]:
        """One request; seeds are cut to 31 bits, which every endpoint takes."""
        made: dict[str, Any] = {"model": self.model, "messages": asked, "seed": seed & 0x7FFFFFFF}
        made |= {"n": n} if n > 1 else {}
        made |= {key: value for key in ("temperature", "top_p") if (value := getattr(self, key)) >= 0}
        return made | ({"max_tokens": self.max_tokens} if self.max_tokens else {})

    def headers(self) -> dict[str, str]:
        """The key, if there is one."""
        secret = self._secret()
        return {"authorization": f"Bearer {secret}"} if secret else {}

    def hidden(self, text: str) -> str:
        """A text without the key, should somebody have repeated it."""
        secret = self._secret()
        return text.replace(secret, "***") if secret else text

    def _secret(self) -> str:
        secret = os.environ.get(self.key, "").strip() if self.key else ""
        if not (secret.isascii() and secret.isprintable()):
            raise BotError(f"the environment variable {self.key} holds what cannot be a key", f"export {self.key}=…")
        return secret

    def _check(self) -> None:
        if not self.model:
            raise SpecError("openai(model=…) is missing: which model?", f"openai(url={self.url},model=NAME)")
        if find_spec("httpx") is None:
            raise MissingResource("openai needs httpx, which is not installed", 'pip install "dialometer[bots]"')

    def _way_out(self) -> str:
        key = (
            f"its key is taken from {self.key}"
            if self._secret()
            else f"no key was sent, since {self.key or 'none'} is not set"
        )
        return f"check that {self.address} answers and has {self.model}; {key}"


def _usable(url: str) -> bool:
    try:
        parts = urlsplit(url)
        return parts.scheme in ("http", "https") and bool(parts.hostname) and "@" not in parts.netloc and parts.port != 0
    except ValueError:
        return False
