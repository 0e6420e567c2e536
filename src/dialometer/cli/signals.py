"""Signals that end a command: Ctrl-C, SIGTERM and SIGHUP let it clean up first, and a second one ends it at once."""

from __future__ import annotations

import signal
import threading
from types import FrameType

ENDING = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


class Terminated(KeyboardInterrupt):
    """A signal other than Ctrl-C; a KeyboardInterrupt, since asyncio and others let only that one pass."""

    def __init__(self, number: int) -> None:
        super().__init__(number)
        self.number = number


def listen() -> None:
    """Turn the next ending signal into an exception; one that the parent process ignores (nohup) stays ignored."""
    if threading.current_thread() is threading.main_thread():  # no other may set handlers
        for number in ENDING:
            if signal.getsignal(number) is not signal.SIG_IGN:
                signal.signal(number, _stop)


def exit_code(error: BaseException) -> int:
    """128 and the number of the signal; click hides the exception behind one of its own."""
    for found in (error, error.__cause__, error.__context__):
        if isinstance(found, Terminated):
            return 128 + found.number
    return 128 + signal.SIGINT


def _stop(number: int, frame: FrameType | None) -> None:
    for other in ENDING:
        if signal.getsignal(other) is _stop:
            signal.signal(other, signal.SIG_DFL)
    raise KeyboardInterrupt if number == signal.SIGINT else Terminated(number)
