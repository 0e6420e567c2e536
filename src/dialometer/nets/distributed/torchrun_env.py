"""What torchrun tells each of the processes it starts, in the environment; read without torch."""

from __future__ import annotations

import os
from dataclasses import dataclass

from dialometer.core.errors import UsageError


@dataclass(frozen=True)
class Place:
    """Which process this is of how many, and which of those on its machine."""

    rank: int
    size: int
    local: int


def launched() -> Place | None:
    """This process's place among those that train together; nothing when it was started alone."""
    told = [os.environ.get(name, "") for name in ("RANK", "WORLD_SIZE", "LOCAL_RANK", "MASTER_ADDR")]
    if not all(told) or told[1] == "1":
        return None
    try:
        rank, size, local = map(int, told[:3])
    except ValueError:
        raise UsageError(
            f"RANK={told[0]}, WORLD_SIZE={told[1]}, LOCAL_RANK={told[2]} in the environment are no numbers",
            "unset RANK WORLD_SIZE LOCAL_RANK, or start by torchrun",
        ) from None
    return Place(rank, size, local)
