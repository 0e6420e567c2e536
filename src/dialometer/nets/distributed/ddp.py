"""Several processes that train one network by torch's DistributedDataParallel: each learns from its share of every batch.

All of them hold the same weights, bit for bit, after every step. What the first one reads, the others are handed as safetensors and
JSON, so they need neither its files nor its disk.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any, TypeVar

import orjson
import torch
import torch.distributed as dist
from safetensors.torch import load, save
from torch import nn
from torch.nn.parallel import DistributedDataParallel

B = TypeVar("B")
M = TypeVar("M", bound=nn.Module)
Kept = tuple[dict[str, torch.Tensor], dict[str, Any]]


@dataclass(frozen=True)
class Crew:
    """Which process this is of how many, and which of those on its machine; every method is a step that all of them take."""

    rank: int = 0
    size: int = 1
    local: int = 0

    @property
    def place(self) -> tuple[int, ...]:
        """What stands beside seed and step, so that processes draw apart; nothing for one alone."""
        return (self.rank,) if self.size > 1 else ()

    def joined(self, model: M, loss_of: Callable[[M, B], torch.Tensor]) -> Callable[[B], torch.Tensor]:
        """The loss of a batch; its gradient is the sum of all processes' gradients, and reaches each of them."""
        if self.size == 1:
            return partial(loss_of, model)
        # Where parameters may be unused, torch also never regroups gradients: sums keep their order after a resume.
        return DistributedDataParallel(_Loss(model, loss_of, self.size), find_unused_parameters=True)

    def total(self, *values: float) -> list[float]:
        """The sums of all processes' values."""
        if self.size == 1:
            return list(values)
        summed = torch.tensor(values, dtype=torch.float64, device="cpu")
        dist.all_reduce(summed)
        return [float(value) for value in summed]

    def handed(self, found: Kept | None) -> Kept | None:
        """Tensors and facts that the first process found, or nothing."""
        if self.size == 1:
            return found
        facts = orjson.loads(self._spread(orjson.dumps(found and found[1])))
        return None if facts is None else (load(self._spread(save(found[0]) if found else b"")), facts)

    def _spread(self, data: bytes) -> bytes:
        """The first process's bytes."""
        length = torch.tensor([len(data)], device="cpu")
        dist.broadcast(length, 0)
        content = torch.empty(int(length), dtype=torch.uint8, device="cpu")
        if self.rank == 0:
            content = torch.frombuffer(bytearray(data), dtype=torch.uint8)
        dist.broadcast(content, 0)
        return content.numpy().tobytes()


ALONE = Crew()


class _Loss(nn.Module):
    """A loss as torch wants it: the forward of a module. It is scaled by the number of processes, of whose gradients torch takes
    the mean. ``idle`` is never used: torch warns where all parameters are, and here it depends on the batch.
    """

    def __init__(self, model: M, loss_of: Callable[[M, Any], torch.Tensor], size: int) -> None:
        super().__init__()
        self.model, self.size, self.loss_of = model, size, loss_of
        self.idle = nn.Parameter(next(model.parameters()).new_zeros(1))

    def forward(self, batch: Any) -> torch.Tensor:
        """The loss of this process's share."""
        return self.size * self.loss_of(self.model, batch)
