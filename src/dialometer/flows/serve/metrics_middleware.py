"""Around every request: how it ended, how long it took, and how many chats are under way."""

from __future__ import annotations

import time

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from dialometer.flows.serve.router import Desk

CHAT = "/v1/chat/completions"
PATHS = frozenset({CHAT, "/v1/models", "/health", "/metrics"})
GONE = 499  # nobody is there to read the answer; the number that nginx gives it


class Watch:
    """ASGI middleware that counts; paths that nobody serves are counted as one."""

    def __init__(self, app: ASGIApp, desk: Desk) -> None:
        self.app, self.desk = app, desk

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass everything on."""
        path, status, begun = scope.get("path", ""), GONE, time.perf_counter()

        async def note(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
            await send(message)

        self.desk.in_flight += path == CHAT
        try:
            await self.app(scope, receive, note)
        except Exception:
            status = 500  # it is answered further out
            raise
        finally:
            self.desk.in_flight -= path == CHAT
            if model := scope.get("state", {}).get("model"):
                self.desk.sent(model)
            self.desk.counters.request(path if path in PATHS else "other", status, time.perf_counter() - begun)
