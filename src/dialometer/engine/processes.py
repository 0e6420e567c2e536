"""``processes:N``: N processes on this machine, started by spawn, one thread each."""

from __future__ import annotations

import os
import signal
import threading
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from multiprocessing import get_context
from typing import Any

from dialometer.core.errors import DialometerError, RunError
from dialometer.core.protocols import Task
from dialometer.core.ranges import Parallel

_SINGLE = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMBA_NUM_THREADS", "POLARS_MAX_THREADS")
_work: Callable[[Any], Any] | None = None


@dataclass(frozen=True)
class Processes:
    """A pool whose results come back in the order of the items."""

    workers: Parallel = 2

    def map(self, task: Task, items: Iterable[Any]) -> Iterator[Any]:
        """At most twice as many items are in flight as there are workers, so that memory is bounded."""
        before = {name: os.environ.get(name) for name in _SINGLE}
        os.environ.update(dict.fromkeys(_SINGLE, "1"))
        pool = ProcessPoolExecutor(self.workers, get_context("spawn"), _start, (task, os.getpid()))
        try:
            waiting: deque[Future[Any]] = deque()
            for item in items:
                with _uninterrupted():
                    waiting.append(pool.submit(_apply, item))
                if len(waiting) >= 2 * self.workers:
                    yield waiting.popleft().result()
            while waiting:
                yield waiting.popleft().result()
        except BrokenProcessPool:
            raise RunError(
                "a worker process died: out of memory, or a script without a main guard",
                "fewer workers, or --engine serial; in a script, call score under: if __name__ == '__main__':",
            ) from None
        finally:
            pool.shutdown(wait=True, cancel_futures=True)
            for name, value in before.items():
                if value is None:
                    os.environ.pop(name, None)
                else:
                    os.environ[name] = value


@contextmanager
def _uninterrupted() -> Iterator[None]:
    """Workers started here inherit blocked SIGINT and SIGHUP; the parent handles these signals and ends the workers."""
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT, signal.SIGHUP})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _start(task: Task, parent: int) -> None:
    """Once per worker: open the task, and start a thread that ends the worker with its parent."""
    global _work
    threading.Thread(target=_end_with, args=(parent,), daemon=True).start()
    try:
        _work = task.open()
    except DialometerError as error:  # raised here it would look like a dead worker
        _work = partial(_refuse, error)


def _refuse(error: DialometerError, item: Any) -> Any:
    raise error


def _end_with(parent: int) -> None:
    """A killed parent cannot end its workers, so they exit themselves."""
    while os.getppid() == parent:
        time.sleep(0.2)
    os._exit(1)


def _apply(item: Any) -> Any:
    assert _work is not None
    return _work(item)
