"""The port and the server on it: a stop signal lets what is under way come to its end first."""

from __future__ import annotations

import errno
import socket
import time
from collections.abc import Callable
from types import FrameType

import uvicorn
from starlette.types import ASGIApp

from dialometer.core.errors import UsageError
from dialometer.flows.serve.router import Desk

FLUSH = 2  # seconds for the last answers to leave


class Server(uvicorn.Server):
    """Uvicorn that drains: on a signal, new chats are refused and /health says so, until all others are answered."""

    def __init__(self, app: ASGIApp, desk: Desk, grace: float, announce: Callable[[], None]) -> None:
        super().__init__(
            uvicorn.Config(
                app, log_config=None, log_level="warning", access_log=False, lifespan="off", server_header=False,
                timeout_graceful_shutdown=FLUSH,
            )
        )  # fmt: skip
        self.desk, self.grace, self.announce = desk, grace, announce
        self.cut_off = 0
        self._end = float("inf")

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Open, then say so: from now on a signal is a request to drain."""
        await super().startup(sockets=sockets)
        self.announce()

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        """The first signal drains, the second ends it now; neither is raised again at the end, so that the exit code is 0."""
        if self.desk.draining:
            self.grace = 0
        self.desk.draining = True
        self._end = time.monotonic() + self.grace

    async def on_tick(self, counter: int) -> bool:
        """Ten times a second: is there still somebody to wait for?"""
        if self.desk.draining and not self.should_exit:
            late = time.monotonic() >= self._end
            if late:
                self.cut_off = self.desk.abandon()
            self.should_exit = late or not self.desk.in_flight
        return await super().on_tick(counter)


def bound(host: str, port: int) -> socket.socket:
    """A socket with the address, which nobody can connect to before ``listen``."""
    try:
        family, kind, protocol, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
    except (OSError, UnicodeError) as error:
        raise UsageError(f"there is no address {host!r} ({error})", "--host 127.0.0.1") from None
    made = socket.socket(family, kind, protocol)
    made.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        made.bind(address)
    except OSError as error:
        made.close()
        raise refused(host, port, error) from None
    return made


def listen(made: socket.socket, host: str) -> str:
    """Open the port; the address as a browser wants it."""
    port = made.getsockname()[1]
    try:
        made.listen(2048)
    except OSError as error:  # somebody else who was also loading was quicker
        raise refused(host, port, error) from None
    return f"http://{f'[{host}]' if ':' in host else host}:{port}"


def refused(host: str, port: int, error: OSError) -> UsageError:
    """A port that the system does not give."""
    if error.errno == errno.EADDRINUSE:
        return UsageError(f"port {port} of {host} is taken by another program", "--port 0 takes any free one")
    reason = (error.strerror or str(error)).lower()
    hint = "--port 8000" if error.errno == errno.EACCES else "--host 127.0.0.1"
    return UsageError(f"port {port} of {host} cannot be opened: {reason}", hint)
