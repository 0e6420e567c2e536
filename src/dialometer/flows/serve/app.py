"""The HTTP side: /v1/chat/completions, /v1/models, /health and /metrics, as a Starlette application."""

from __future__ import annotations

import asyncio
import hmac
import time
from collections.abc import AsyncIterator
from concurrent.futures import Future
from typing import Any

import orjson
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request
from starlette.responses import PlainTextResponse, Response, StreamingResponse
from starlette.routing import Route

from dialometer.bots._shared.ask import Answer
from dialometer.contracts.serve import RequestLimits
from dialometer.flows.serve.errors import Refusal
from dialometer.flows.serve.metrics_middleware import GONE, Watch
from dialometer.flows.serve.rate_limit import Rate
from dialometer.flows.serve.request import read_asked
from dialometer.flows.serve.responses import Completion
from dialometer.flows.serve.router import Desk

OPENED = int(time.time())


def build(desk: Desk, limits: RequestLimits, token: str = "") -> Starlette:
    """The application around a desk; a token, where there is one, is wanted by everything but /health."""
    doors = Doors(desk, limits, token)
    app = Starlette(
        routes=[
            Route("/v1/chat/completions", doors.chat, methods=["POST"]),
            Route("/v1/models", doors.models),
            Route("/v1/models/{name:path}", doors.model),
            Route("/health", doors.health),
            Route("/metrics", doors.metrics),
        ],
        exception_handlers={
            Refusal: _refuse,
            HTTPException: _refuse_route,
            ClientDisconnect: lambda request, error: Response(status_code=GONE),
            Exception: lambda request, error: _refused(Refusal(500, "the server failed at this request", code="internal")),
        },
    )
    app.add_middleware(Watch, desk=desk)
    return app


class Doors:
    """One method per path."""

    def __init__(self, desk: Desk, limits: RequestLimits, token: str) -> None:
        self.desk, self.limits, self.rate = desk, limits, Rate(limits.rate)
        self._token = token.encode()

    async def chat(self, request: Request) -> Response:
        """A conversation in, replies out."""
        self._admit(request)
        if pause := self.rate.wait(request.client.host if request.client else ""):
            told = f"more than {self.limits.rate:g} requests a second from one client"
            raise Refusal(429, told, code="rate_limit_exceeded", retry=pause)
        asked = read_asked(await self._body(request), self.limits)
        future, seed = self.desk.hand_in(asked)
        request.state.model = asked.model  # so that whoever sees the answer leave knows whose it was
        answer = await self._answer(request, future)
        if answer.error:
            remote = getattr(self.desk.bot(asked.model), "remote", False)
            raise Refusal(502 if remote else 500, answer.error, code="bot_failed")
        completion = Completion(asked, answer.replies, self.desk.recipes[asked.model])
        headers = {"x-dialometer-seed": str(seed)}
        if asked.stream:
            return StreamingResponse(_events(completion), media_type="text/event-stream", headers=headers)
        return _json(completion.to_json(), headers=headers)

    async def models(self, request: Request) -> Response:
        """All bots."""
        self._admit(request)
        return _json({"object": "list", "data": [_model(name) for name in self.desk.names]})

    async def model(self, request: Request) -> Response:
        """One bot."""
        self._admit(request)
        name = request.path_params["name"]
        self.desk.bot(name)
        return _json(_model(name))

    async def health(self, request: Request) -> Response:
        """Ready, or on the way out."""
        status = "draining" if self.desk.draining else "ready"
        told = {"status": status, "waiting": self.desk.waiting(), "in_flight": self.desk.in_flight}
        return _json(told, status=503 if self.desk.draining else 200)

    async def metrics(self, request: Request) -> Response:
        """Counts for Prometheus."""
        self._admit(request)
        return PlainTextResponse(self.desk.metrics(), media_type="text/plain; version=0.0.4")

    def _admit(self, request: Request) -> None:
        """Refuse who has no token, in a time that does not tell how much of it was right."""
        scheme, _, given = request.headers.get("authorization", "").partition(" ")
        right = hmac.compare_digest(given.strip().encode("latin-1"), self._token)
        if self._token and not (right and scheme.lower() == "bearer"):
            raise Refusal(401, "a bearer token is wanted, and none or a wrong one was given", code="invalid_api_key")

    async def _body(self, request: Request) -> bytes:
        """The body, as long as it is not too long and does come."""
        most, body = self.limits.body, bytearray()
        told = request.headers.get("content-length", "")
        too_long = Refusal(413, f"the body is longer than {most} bytes", code="body_too_long")
        if told.isdecimal() and (len(told) > 18 or int(told) > most):
            raise too_long
        try:
            async with asyncio.timeout(self.limits.timeout):
                async for piece in request.stream():
                    body += piece
                    if len(body) > most:
                        raise too_long
        except TimeoutError:
            raise Refusal(408, f"the body did not come within {self.limits.timeout:g} s", code="timeout") from None
        return bytes(body)

    async def _answer(self, request: Request, future: Future[Answer]) -> Answer:
        """What the bot says, unless the time is over or the client goes away; nobody then works for it any more."""
        answer = asyncio.wrap_future(future)
        gone = asyncio.ensure_future(request.receive())  # the body has been read: what can come now is a disconnect
        try:
            either: list[asyncio.Future[Any]] = [answer, gone]
            await asyncio.wait(either, timeout=self.limits.timeout, return_when=asyncio.FIRST_COMPLETED)
            if answer.done():
                return answer.result()
            if gone.done():
                raise ClientDisconnect
            raise Refusal(504, f"no answer within {self.limits.timeout:g} s", code="timeout")
        finally:
            answer.cancel()
            gone.cancel()


async def _events(completion: Completion) -> AsyncIterator[bytes]:
    for event in completion.stream():
        yield event


def _model(name: str) -> dict[str, object]:
    return {"id": name, "object": "model", "created": OPENED, "owned_by": "dialometer"}


def _json(value: object, *, status: int = 200, headers: dict[str, str] | None = None) -> Response:
    return Response(orjson.dumps(value), status, headers, "application/json")


def _refused(refusal: Refusal) -> Response:
    return _json(refusal.to_json(), status=refusal.status, headers=refusal.headers)


def _refuse(request: Request, error: Exception) -> Response:
    assert isinstance(error, Refusal)
    return _refused(error)


def _refuse_route(request: Request, error: Exception) -> Response:
    """A path or a method that there is not."""
    assert isinstance(error, HTTPException)
    code = "unknown_url" if error.status_code == 404 else "method_not_supported"
    told = f"{request.method} {request.url.path[:80]}: {error.detail.lower()}"
    return _json(Refusal(error.status_code, told, code=code).to_json(), status=error.status_code,
                 headers=dict(error.headers or {}))  # fmt: skip
