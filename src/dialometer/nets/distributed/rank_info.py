"""Rank and world size that torchrun passes to its processes in the environment; read without importing torch."""

from __future__ import annotations

import os
from dataclasses import dataclass

from dialometer.core.errors import UsageError


@dataclass(frozen=True)
class RankInfo:
    """Rank of this process, number of processes, and rank among the processes of its machine."""

    rank: int
    size: int
    local_rank: int


def torchrun_rank() -> RankInfo | None:
    """The rank of this process under torchrun; ``None`` for a process that was started alone."""
    values = [os.environ.get(name, "") for name in ("RANK", "WORLD_SIZE", "LOCAL_RANK", "MASTER_ADDR")]
    if not all(values) or values[1] == "1":
        return None
    try:
        rank, size, local_rank = map(int, values[:3])
    except ValueError:
        raise UsageError(
            f"RANK={values[0]}, WORLD_SIZE={values[1]}, LOCAL_RANK={values[2]} in the environment are no numbers",
            "unset RANK WORLD_SIZE LOCAL_RANK, or start by torchrun",
        ) from None
    return RankInfo(rank, size, local_rank)
