"""Training one network in several processes by torch's DistributedDataParallel.

The processes are those that torchrun started, or are spawned on this machine by ``torch.multiprocessing``; launcher and rendezvous
are torch's. Rank 0 is the calling process: it reads the data, writes checkpoints and broadcasts what the other ranks need as
safetensors and JSON, so they read no files. All ranks hold bitwise equal weights after every step.
"""

from __future__ import annotations

import atexit
import os
import re
import signal
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import timedelta
from functools import partial
from multiprocessing import parent_process, resource_tracker
from multiprocessing.connection import wait
from multiprocessing.process import BaseProcess
from pathlib import Path
from tempfile import TemporaryDirectory
from threading import Thread
from types import ModuleType
from typing import Any, TypeVar

import orjson
import torch
import torch.distributed as dist
from safetensors.torch import load, save
from torch import nn
from torch.distributed.rendezvous import rendezvous
from torch.multiprocessing.spawn import spawn
from torch.nn.parallel import DistributedDataParallel

from dialometer.core.errors import DialometerError, RunError
from dialometer.nets.distributed.rank_info import RankInfo, torchrun_rank

B = TypeVar("B")
M = TypeVar("M", bound=nn.Module)
Payload = tuple[dict[str, torch.Tensor], dict[str, Any]]
Worker = Callable[["ProcessGroup"], None]
LONG = timedelta(days=1)  # other ranks wait while rank 0 reads and prepares; torchrun notices a process that dies
GRACE = 10.0  # seconds for a process that lost its connection to be reported, and for one that was told to end to end
PAUSE = 2.0  # seconds that a rank which lost a connection lives on
RESUME = "the same command again goes on from the last checkpoint"
STORE = "store"  # the file by which spawned processes find each other
LOOPBACK = "lo" if sys.platform == "linux" else "lo0"


@dataclass(frozen=True)
class ProcessGroup:
    """Rank of this process and number of processes; every method is a collective operation."""

    rank: int = 0
    size: int = 1
    local_rank: int = 0

    @property
    def seed_key(self) -> tuple[int, ...]:
        """Added to seed and step, so that ranks draw different numbers; empty for a single process."""
        return (self.rank,) if self.size > 1 else ()

    def data_parallel(self, model: M, loss_of: Callable[[M, B], torch.Tensor]) -> Callable[[B], torch.Tensor]:
        """The loss of a batch as a function; its gradient is the sum over all ranks, and is the same on each."""
        if self.size == 1:
            return partial(loss_of, model)
        # With unused parameters allowed, torch never regroups gradient buckets: sums keep their order after a resume.
        return DistributedDataParallel(_ScaledLoss(model, loss_of, self.size), find_unused_parameters=True)

    def sum(self, *values: float) -> list[float]:
        """The sums of the values of all ranks."""
        if self.size == 1:
            return list(values)
        summed = torch.tensor(values, dtype=torch.float64, device="cpu")
        dist.all_reduce(summed)
        return [float(value) for value in summed]

    def broadcast(self, payload: Payload | None) -> Payload | None:
        """The tensors and JSON of rank 0, or ``None``."""
        if self.size == 1:
            return payload
        header = orjson.loads(self._broadcast_bytes(orjson.dumps(payload and payload[1])))
        return None if header is None else (load(self._broadcast_bytes(save(payload[0]) if payload else b"")), header)

    def _broadcast_bytes(self, data: bytes) -> bytes:
        length = torch.tensor([len(data)], device="cpu")
        dist.broadcast(length, 0)
        content = torch.empty(int(length), dtype=torch.uint8, device="cpu")
        if self.rank == 0:
            content = torch.frombuffer(bytearray(data), dtype=torch.uint8)
        dist.broadcast(content, 0)
        return content.numpy().tobytes()


SINGLE = ProcessGroup()


class _ScaledLoss(nn.Module):
    """A loss as the forward pass of a module, as torch needs it, times the number of ranks, because torch averages gradients.

    ``idle`` is never used: torch warns where all parameters are used, and here that depends on the batch.
    """

    def __init__(self, model: M, loss_of: Callable[[M, Any], torch.Tensor], size: int) -> None:
        super().__init__()
        self.model, self.size, self.loss_of = model, size, loss_of
        self.idle = nn.Parameter(next(model.parameters()).new_zeros(1))

    def forward(self, batch: Any) -> torch.Tensor:
        """The loss of this rank's share of the batch."""
        return self.size * self.loss_of(self.model, batch)


@contextmanager
def process_group(processes: int, worker: Worker, work: Path | None = None) -> Iterator[ProcessGroup]:
    """The ranks of torchrun, else ``processes`` ranks of which this process is rank 0 and the others run ``worker``."""
    info = torchrun_rank()
    if info:
        with torchrun_group(info) as group:
            yield group
    elif processes > 1:
        if work:
            work.mkdir(parents=True, exist_ok=True)
        with (
            TemporaryDirectory(prefix="rendezvous-", dir=work) as folder,
            _spawned(worker, processes, Path(folder)) as group,
        ):
            yield group
    else:
        yield SINGLE


@contextmanager
def torchrun_group(info: RankInfo) -> Iterator[ProcessGroup]:
    """The ranks that torchrun started, connected until the process ends; a lost connection becomes one sentence."""
    try:
        if not dist.is_initialized():
            store, _, _ = next(iter(rendezvous("env://", timeout=LONG)))
            if os.environ.get("GROUP_WORLD_SIZE", "1") == "1":  # several machines do not count restarts alike
                # The store of torchrun outlives a restart and still holds the addresses of the processes before it.
                store = dist.PrefixStore(os.environ.get("TORCHELASTIC_RESTART_COUNT", "0"), store)
            _connect(store, info.rank, info.size, LONG)
            atexit.register(dist.destroy_process_group)
        yield ProcessGroup(info.rank, info.size, info.local_rank)
    except RuntimeError as error:
        reason = _first_sentence(error)
        raise RunError(f"the training stopped in process {info.rank} of {info.size} ({reason})", RESUME) from error


def _first_sentence(error: Exception) -> str:
    """Of a message of gloo, without the position in its source that stands before it."""
    return " ".join(re.sub(r"^\[[^]]*\] ", "", str(error)).split(". ")[0].split())


def _connect(store: dist.Store, rank: int, size: int, timeout: timedelta | None = None) -> None:
    hook = sys.excepthook  # torch replaces it
    backend = "cpu:gloo,cuda:nccl" if torch.cuda.is_available() else "gloo"
    try:
        dist.init_process_group(backend, store=store, rank=rank, world_size=size, timeout=timeout)
    finally:
        sys.excepthook = hook


def _connect_local(store: dist.Store, rank: int, size: int) -> ProcessGroup:
    """Connect the processes of one machine, by its loopback interface only."""
    before = os.environ.get("GLOO_SOCKET_IFNAME")
    os.environ["GLOO_SOCKET_IFNAME"] = LOOPBACK
    try:
        _connect(store, rank, size)
    finally:
        os.environ.pop("GLOO_SOCKET_IFNAME")
        os.environ.update({} if before is None else {"GLOO_SOCKET_IFNAME": before})
    return ProcessGroup(rank, size, rank)


@contextmanager
def _spawned(worker: Worker, processes: int, folder: Path) -> Iterator[ProcessGroup]:
    """Start ranks 1, 2, … and be rank 0; no process is left at the end."""
    with _start_conditions():
        context = spawn(  # type: ignore[no-untyped-call]
            _run_rank, (worker, processes, folder), nprocs=processes - 1, join=False, daemon=True
        )
    others: list[BaseProcess] = context.processes
    try:
        store = dist.FileStore(str(folder / STORE), processes)
        while not store.check([f"ready/{rank}" for rank in range(1, processes)]):  # rank 0 could not leave a rendezvous
            if not all(process.is_alive() for process in others):
                raise _failure(others, folder) or RunError("a training process did not start", RESUME)
            time.sleep(0.02)
        group = _connect_local(store, 0, processes)
        yield group
        group.broadcast(None)
        end = time.monotonic() + GRACE
        for process in others:
            process.join(max(0.0, end - time.monotonic()))
    except RuntimeError as error:
        raise _failure(others, folder) or error from None
    finally:
        if dist.is_initialized():
            dist.destroy_process_group()
        for process in others:
            process.kill()
            process.join()


def _failure(others: list[BaseProcess], folder: Path) -> RunError | None:
    """Which rank ended and why, in one sentence: one that was killed, else the one that had an error first."""
    ended = wait([process.sentinel for process in others], GRACE)
    for process in others:
        if process.sentinel in ended:  # its exit code comes a moment after its files are closed
            process.join(GRACE)
    codes = {rank: process.exitcode for rank, process in enumerate(others, 1) if process.exitcode}
    if not codes:
        return None
    rank = min(codes, key=codes.__getitem__)
    reason = f"signal {-codes[rank]}" if codes[rank] < 0 else f"exit code {codes[rank]}"
    errors = sorted(folder.glob("error-*"), key=lambda path: path.stat().st_mtime_ns)
    if codes[rank] > 0 and errors:
        rank, reason = int(errors[0].name.removeprefix("error-")), errors[0].read_text("utf-8")
    return RunError(f"the training process of rank {rank} died ({reason})", RESUME)


@contextmanager
def _start_conditions() -> Iterator[None]:
    """Processes started here do not import the caller's script again and do not receive Ctrl-C, which is for rank 0."""
    resource_tracker.ensure_running()  # started later, by ``spawn``, it would unblock the signals
    main, signals = sys.modules["__main__"], signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT, signal.SIGHUP})
    sys.modules["__main__"] = ModuleType("__main__")
    try:
        yield
    finally:
        sys.modules["__main__"] = main
        signal.pthread_sigmask(signal.SIG_SETMASK, signals)


def _run_rank(index: int, worker: Worker, processes: int, folder: Path) -> None:
    """What a spawned process does: connect, work, end; it ends with its parent, however the parent ends."""
    Thread(target=_exit_with_parent, daemon=True).start()
    rank, store = index + 1, dist.FileStore(str(folder / STORE), processes)
    store.set(f"ready/{rank}", "")
    try:
        worker(_connect_local(store, rank, processes))
        dist.destroy_process_group()
    except DialometerError:
        pass  # rank 0 has the same error, and reports it
    except Exception as error:
        (folder / f"error-{rank}").write_text(f"{type(error).__name__}: {_first_sentence(error)}", "utf-8")
        if isinstance(error, RuntimeError):  # perhaps the connection to a rank that was killed: let it be seen first
            time.sleep(PAUSE)
        os._exit(1)


def _exit_with_parent() -> None:
    parent = parent_process()
    assert parent is not None
    parent.join()
    os._exit(1)
