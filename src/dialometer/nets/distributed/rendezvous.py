"""How processes find each other: those that torchrun started, or some that are started here, on this machine.

A process started here ends with its parent, however that ends: it reads a pipe whose other end closes then.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import timedelta
from functools import cache
from pathlib import Path
from secrets import token_hex
from tempfile import TemporaryDirectory

import torch
import torch.distributed as dist
from torch.distributed.rendezvous import rendezvous

from dialometer.core.errors import RunError
from dialometer.nets.distributed.ddp import ALONE, Crew
from dialometer.nets.distributed.torchrun_env import Place, launched

FOLLOWER = "dialometer.nets.distributed.worker"
READY = b"ready\n"
LONG = timedelta(days=1)  # others wait while the first reads and prepares; torchrun sees when one dies
GRACE = 10.0  # seconds within which a dead process is seen to be dead, and one that was told to end has ended
AGAIN = "the same command again goes on from the last checkpoint"
LOOPBACK = "lo" if sys.platform == "linux" else "lo0"
Process = subprocess.Popen[bytes]


@contextmanager
def gathered(processes: int, work: Path | None = None) -> Iterator[Crew]:
    """All that train together: those of torchrun, else as many as are wanted, this process being the first."""
    place = launched()
    if place:
        with stopping(place):
            yield met(place)
    elif processes > 1:
        if work:
            work.mkdir(parents=True, exist_ok=True)
        with TemporaryDirectory(prefix="meeting-", dir=work) as folder, _started(processes, Path(folder, "store")) as crew:
            yield crew
    else:
        yield ALONE


def met(place: Place) -> Crew:
    """The processes of torchrun, which stay together until they part."""
    if not dist.is_initialized():
        store = dist.PrefixStore(_agreed(_store(), place), _store())
        dist.init_process_group(_backend(), store=store, rank=place.rank, world_size=place.size, timeout=LONG)
    return Crew(place.rank, place.size, place.local)


def meet(rank: int, size: int, meeting: Path) -> Crew:
    """The processes of this machine that know the same file."""
    before = os.environ.get("GLOO_SOCKET_IFNAME")
    os.environ["GLOO_SOCKET_IFNAME"] = LOOPBACK
    try:
        store = dist.FileStore(str(meeting), size)
        dist.init_process_group(_backend(), store=store, rank=rank, world_size=size)
    finally:
        os.environ.pop("GLOO_SOCKET_IFNAME")
        os.environ.update({} if before is None else {"GLOO_SOCKET_IFNAME": before})
    return Crew(rank, size, rank)


@contextmanager
def stopping(place: Place) -> Iterator[None]:
    """What torch says when other processes are gone, as a sentence."""
    try:
        yield
    except RuntimeError as error:
        said = re.sub(r"^\[[^]]*\] ", "", str(error)).split(". ")[0]  # gloo puts a place in its source before it
        raise RunError(f"the training stopped in process {place.rank} of {place.size} ({said})", AGAIN) from error


def _backend() -> str:
    return "cpu:gloo,cuda:nccl" if torch.cuda.is_available() else "gloo"


@cache
def _store() -> dist.Store:
    """Where torchrun lets its processes leave each other notes."""
    store, _, _ = next(iter(rendezvous("env://", timeout=LONG)))
    store.set_timeout(LONG)
    return store


def _agreed(store: dist.Store, place: Place) -> str:
    """A name that only processes living now know: after a restart the store still holds the notes of those that died."""
    if place.rank:
        store.set(f"here/{place.rank}", own := token_hex(8))
        name: str = store.get(f"name/{own}").decode()
        store.set(f"{name}/{place.rank}", "")
        return name
    name, others = token_hex(8), range(1, place.size)
    while not store.check([f"{name}/{rank}" for rank in others]):
        for key in (f"here/{rank}" for rank in others):
            if store.check([key]):
                store.set(f"name/{store.get(key).decode()}", name)
        time.sleep(0.05)
    return name


@contextmanager
def _started(processes: int, meeting: Path) -> Iterator[Crew]:
    """Processes of our own; none is left behind."""
    hook = sys.excepthook  # torch puts one of its own in its place
    followers: list[Process] = []
    try:
        for rank in range(1, processes):
            followers.append(_start(rank, processes, meeting))
        _await(followers)
        crew = meet(0, processes, meeting)
        yield crew
        crew.handed(None)
    except RuntimeError as error:
        raise _death(followers) or error from None
    finally:
        sys.excepthook = hook
        if dist.is_initialized():
            dist.destroy_process_group()
        _end(followers)


def _start(rank: int, processes: int, meeting: Path) -> Process:
    """A follower with our path and one thread, out of reach of Ctrl-C, which is ours to hear."""
    own = {"PYTHONPATH": os.pathsep.join(path for path in sys.path if path), "OMP_NUM_THREADS": "1"}
    return subprocess.Popen(
        [sys.executable, "-P", "-m", FOLLOWER, str(rank), str(processes), str(meeting)],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, env={**os.environ, **own}, process_group=0,
    )  # fmt: skip


def _await(followers: Sequence[Process]) -> None:
    """Until all are ready to meet: a meeting that one never comes to could not be left."""
    for follower in followers:
        assert follower.stdout is not None
        if follower.stdout.readline() != READY:
            raise _death(followers) or RunError("a training process did not start", AGAIN)


def _death(followers: Sequence[Process]) -> RunError | None:
    """Which of them died, and how; one that was killed before one that only missed it."""
    end = time.monotonic() + GRACE
    while time.monotonic() < end:
        codes = {rank: code for rank, one in enumerate(followers, 1) if (code := one.poll()) is not None}
        if codes:
            rank = min(codes, key=codes.__getitem__)
            how = f"signal {-codes[rank]}" if codes[rank] < 0 else f"exit code {codes[rank]}"
            return RunError(f"the training process of rank {rank} died ({how})", AGAIN)
        time.sleep(0.02)
    return None


def _end(followers: Sequence[Process]) -> None:
    for follower in followers:
        for pipe in (follower.stdin, follower.stdout):
            assert pipe is not None
            pipe.close()
    for follower in followers:
        try:
            follower.wait(GRACE)
        except subprocess.TimeoutExpired:
            follower.kill()
            follower.wait()
