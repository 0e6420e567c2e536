"""Training in several processes: under torchrun rank 0 does what a single process does, the other ranks only train with it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from dialometer.core.errors import UsageError
from dialometer.nets.distributed.rank_info import torchrun_rank


def processes_of(thing: Any, asked: int) -> int:
    """How many processes train something: those of torchrun, else ``asked``; one for what is trained by one process only."""
    if not getattr(thing, "parallel", False):
        if asked > 1:
            raise UsageError(f"{thing.name} is trained by one process", "leave out --processes")
        return 1
    info = torchrun_rank()
    return info.size if info else asked


def shared(thing: Any, asked: int) -> dict[str, int]:
    """The keyword arguments of ``fit`` that several processes need."""
    processes = processes_of(thing, asked)
    return {"processes": processes} if processes > 1 else {}


def followed() -> bool:
    """Train with rank 0 if this process is another rank of torchrun; whether it is."""
    info = torchrun_rank()
    if info is None or info.rank == 0:
        return False
    from dialometer.nets.dialogue.training import run_worker
    from dialometer.nets.distributed.process_group import torchrun_group

    with torchrun_group(info) as group:
        run_worker(group)
    return True


@contextmanager
def leading() -> Iterator[None]:
    """Around all that rank 0 does: at the end the other ranks are told that there is no more. After an error torchrun ends them."""
    yield
    info = torchrun_rank()
    if info:
        from dialometer.nets.distributed.process_group import torchrun_group

        with torchrun_group(info) as group:
            group.broadcast(None)
