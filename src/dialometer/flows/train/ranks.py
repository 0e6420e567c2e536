"""Training in several processes: under torchrun rank 0 runs the command, the other ranks only train with it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from dialometer.core.errors import UsageError
from dialometer.nets.distributed.rank_info import torchrun_rank


def processes_of(artifact: Any, requested: int) -> int:
    """How many processes train an artifact: those of torchrun, else those requested; one where it does not train in parallel."""
    if not getattr(artifact, "parallel", False):
        if requested > 1:
            raise UsageError(f"{artifact.name} is trained by one process", "leave out --processes")
        return 1
    info = torchrun_rank()
    return info.size if info else requested


def process_options(artifact: Any, requested: int) -> dict[str, int]:
    """The further option of ``fit`` where several processes train."""
    processes = processes_of(artifact, requested)
    return {"processes": processes} if processes > 1 else {}


def run_worker_if_nonzero_rank() -> bool:
    """Take part in the training and return True if torchrun started this process with another rank than 0."""
    info = torchrun_rank()
    if info is None or info.rank == 0:
        return False
    from dialometer.nets.dialogue.training import run_worker
    from dialometer.nets.distributed.process_group import torchrun_group

    with torchrun_group(info) as group:
        run_worker(group)
    return True


@contextmanager
def rank_zero() -> Iterator[None]:
    """Around the command of rank 0, which ends the other ranks with it. After an error torchrun ends them."""
    yield
    info = torchrun_rank()
    if info:
        from dialometer.nets.distributed.process_group import torchrun_group

        with torchrun_group(info) as group:
            group.broadcast(None)
