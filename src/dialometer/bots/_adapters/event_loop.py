"""An event loop on a thread of its own: connections and limits live on from call to call, whoever calls."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from threading import Lock, Thread
from typing import Any, TypeVar

T = TypeVar("T")


class BackgroundLoop:
    """Starts when it is first used; a copy starts anew."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._thread: Thread | None = None

    def __reduce__(self) -> tuple[type[BackgroundLoop], tuple[()]]:
        return type(self), ()

    def run(self, work: Coroutine[Any, Any, T]) -> T:
        """What the work gives; an interrupted caller takes the work with it."""
        future = asyncio.run_coroutine_threadsafe(work, self._started())
        try:
            return future.result()
        except BaseException:
            future.cancel()
            raise

    def close(self) -> None:
        """End loop and thread."""
        with self._lock:
            loop, thread, self._loop, self._thread = self._loop, self._thread, None, None
        if loop is not None and thread is not None:
            loop.call_soon_threadsafe(loop.stop)
            thread.join()
            loop.close()

    def _started(self) -> asyncio.AbstractEventLoop:
        with self._lock:
            if self._loop is None:
                self._loop = asyncio.new_event_loop()
                self._thread = Thread(target=self._loop.run_forever, name="dialometer-loop", daemon=True)
                self._thread.start()
            return self._loop
