"""serve: bots over HTTP, in the words of OpenAI's chat completions, requests answered in batches."""

from __future__ import annotations

import logging
import os
from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass
from importlib.util import find_spec

from dialometer.contracts.serve import ServeRequest
from dialometer.core.errors import MissingResource, UsageError
from dialometer.flows.serve.router import Desk
from dialometer.flows.shared.bots import load

_log = logging.getLogger(__name__)
HOME = ("127.0.0.1", "localhost", "::1")


@dataclass(frozen=True, slots=True)
class Served:
    """How it ended: requests that the end of the grace cut off, and whether a bot is still at work."""

    cut_off: int
    busy: bool


def serve(request: ServeRequest, *, announce: Callable[[str, list[str]], None] = lambda url, names: None) -> Served:
    """Load the bots, open the port, ``announce`` where, answer until a signal says stop."""
    names, limits, token = _checked(request), request.limits, _token(request)
    for package in ("starlette", "uvicorn"):
        if find_spec(package) is None:
            raise MissingResource(f"serve needs {package}, which is not installed", 'pip install "dialometer[serve]"')
    from dialometer.flows.serve.app import build
    from dialometer.flows.serve.server import Server, bound, listen

    with closing(bound(request.host, request.port)) as place:  # a taken port is told before minutes of loading
        bots = {name: load(spec) for name, spec in zip(names, request.bots, strict=True)}
        desk = Desk(bots, size=request.batch, wait=request.wait / 1000, most=limits.queue, seed=request.seed)
        try:
            url = listen(place, request.host)
            if request.host not in HOME and not token:
                _log.warning("anybody who reaches %s can use these bots; --token-env NAME asks for a token", request.host)
            server = Server(build(desk, limits, token), desk, request.grace, lambda: announce(f"{url}/v1", names))
            server.run(sockets=[place])
        finally:
            ended = desk.close()
    return Served(server.cut_off, not ended)


def _checked(request: ServeRequest) -> list[str]:
    """The models' names, every option checked before anything is loaded."""
    if not request.bots:
        raise UsageError("no bot was named", "dialometer serve eliza")
    if request.names and len(request.names) != len(request.bots):
        told = f"{len(request.bots)} bots and {len(request.names)} names were given"
        raise UsageError(told, "--name once per bot, in the same order, or not at all")
    names = list(request.names or request.bots)
    if twice := next((name for name in names if names.count(name) > 1), ""):
        raise UsageError(f"two bots would be named {twice!r}", "--name once per bot, each another")
    return names


def _token(request: ServeRequest) -> str:
    """The token from the environment, where one is asked for."""
    if not request.token_env:
        return ""
    token = os.environ.get(request.token_env, "").strip()
    if not token:
        raise UsageError(f"the environment has no {request.token_env}", f"export {request.token_env}=…")
    return token
