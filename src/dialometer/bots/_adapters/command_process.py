"""A program that is kept running and speaks JSON lines: requests to its standard input, answers from its standard output."""

from __future__ import annotations

import atexit
import os
import signal
import subprocess
import time
import weakref
from collections import deque
from collections.abc import Callable
from queue import Empty, Queue, SimpleQueue
from threading import Thread
from typing import IO

import orjson

from dialometer.core.errors import BotError

LONGEST = 16 << 20  # bytes of a line that it may write
AHEAD = 1024  # lines that wait to be read; a program that writes more is held up, so that it cannot fill the memory
LAST = 5  # lines of standard error that a message quotes
GRACE = 2.0  # seconds that a program has to end by itself
_END = object()
_alive: weakref.WeakSet[Process] = weakref.WeakSet()


class Stopped(Exception):
    """The program ended, stayed silent, or said what is not an answer: the reason."""


class Process:
    """A program in a process group of its own, with threads that keep its pipes flowing."""

    def __init__(self, argv: list[str]) -> None:
        pipe = subprocess.PIPE
        try:
            self._child = subprocess.Popen(argv, stdin=pipe, stdout=pipe, stderr=pipe, start_new_session=True)
        except OSError as error:
            raise BotError(
                f"{argv[0]} cannot be started ({error.strerror})", "command(argv=…) is what you would type in a shell"
            ) from None
        assert self._child.stdin is not None
        assert self._child.stdout is not None
        assert self._child.stderr is not None
        self._to: SimpleQueue[bytes | None] = SimpleQueue()
        self._from: Queue[object] = Queue(AHEAD)
        self._errors: deque[str] = deque(maxlen=LAST)
        _thread(_write, self._child.stdin, self._to)
        _thread(_read, self._child.stdout, self._from)
        self._grumble = _thread(_keep, self._child.stderr, self._errors)
        _alive.add(self)

    def send(self, request: dict[str, object]) -> None:
        """Put one request on its way."""
        self._to.put(orjson.dumps(request, option=orjson.OPT_APPEND_NEWLINE))

    def answer(self, timeout: float) -> dict[str, object]:
        """The next answer."""
        try:
            line = self._from.get(timeout=timeout)
        except Empty:
            raise Stopped(f"it gave no answer within {timeout:g} s{self._said()}") from None
        if line is _END:
            code = self.end()
            raise Stopped(f"it ended with exit code {code}{self._said()}")
        assert isinstance(line, bytes)
        if len(line) == LONGEST:
            raise Stopped(f"it wrote a line of more than {LONGEST >> 20} MiB")
        try:
            found = orjson.loads(line)
        except orjson.JSONDecodeError:
            raise Stopped(f"it wrote a line that is not JSON: {_shown(line)}") from None
        if not isinstance(found, dict) or "id" not in found:
            raise Stopped(f"it wrote a line that is no object with an id: {_shown(line)}")
        return found

    @property
    def alive(self) -> bool:
        """Whether it still runs."""
        return not self._gone(0)

    def end(self, grace: float = GRACE) -> int:
        """Close its input, wait, then end it and what it started; its exit code."""
        self._to.put(None)
        if not self._gone(grace):
            os.killpg(self._child.pid, signal.SIGTERM)
        self._gone(GRACE)
        if self in _alive:  # its number is its own until it is waited for
            os.killpg(self._child.pid, signal.SIGKILL)
            _alive.discard(self)
        code = self._child.wait()
        self._grumble.join(GRACE)
        return code

    def _gone(self, seconds: float) -> bool:
        """Whether it ended within so long; it is not waited for yet, so that its group keeps its number."""
        flags, until = os.WEXITED | os.WNOHANG | os.WNOWAIT, time.monotonic() + seconds
        while self._child.returncode is None and os.waitid(os.P_PID, self._child.pid, flags) is None:
            if time.monotonic() >= until:
                return False
            time.sleep(0.01)
        return True

    def _said(self) -> str:
        lines = " / ".join(self._errors)
        return f"; its last words: {lines}" if lines else ""


def _thread(work: Callable[..., None], *given: object) -> Thread:
    made = Thread(target=work, args=given, daemon=True)
    made.start()
    return made


def _write(pipe: IO[bytes], queue: SimpleQueue[bytes | None]) -> None:
    try:
        while (line := queue.get()) is not None:
            pipe.write(line)
            pipe.flush()
        pipe.close()
    except OSError:  # nobody reads any more: the reader of its output finds out why
        return


def _read(pipe: IO[bytes], queue: Queue[object]) -> None:
    with pipe:
        while line := pipe.readline(LONGEST):
            if line.strip():
                queue.put(line)
            if len(line) == LONGEST:
                break
    queue.put(_END)


def _keep(pipe: IO[bytes], lines: deque[str]) -> None:
    with pipe:
        while line := pipe.readline(LONGEST):
            if text := line.decode("utf-8", "replace").strip():
                lines.append(text[:200])


def _shown(line: bytes) -> str:
    text = line.decode("utf-8", "replace").strip()
    return repr(text if len(text) <= 120 else f"{text[:119]}…")


@atexit.register
def _end_all() -> None:
    for process in list(_alive):
        process.end()
