"""Training in several processes: under torchrun the first does what one alone would, the others train with it and say nothing."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from dialometer.core.errors import UsageError
from dialometer.nets.distributed.torchrun_env import launched


def processes_of(thing: Any, asked: int) -> int:
    """How many processes train a thing: those of torchrun, else as many as were asked for; one where it cannot be shared."""
    if not getattr(thing, "parallel", False):
        if asked > 1:
            raise UsageError(f"{thing.name} is trained by one process", "leave out --processes")
        return 1
    place = launched()
    return place.size if place else asked


def shared(thing: Any, asked: int) -> dict[str, int]:
    """What ``fit`` is told beside the rest."""
    processes = processes_of(thing, asked)
    return {"processes": processes} if processes > 1 else {}


def followed() -> bool:
    """Whether this process is another one of torchrun than the first; if so, it has taken part, and has nothing to say."""
    place = launched()
    if place is None or place.rank == 0:
        return False
    from dialometer.nets.distributed.worker import follow_launched

    follow_launched(place)
    return True


@contextmanager
def leading() -> Iterator[None]:
    """Around all that the first process does: in the end the others are let go. After an error torchrun ends them."""
    yield
    place = launched()
    if place:
        from dialometer.nets.distributed.worker import dismiss

        dismiss(place)
