"""Where a network trains: on a GPU if there is one, else on the CPU; and how exactly it calculates there."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from typing import Any

import torch

from dialometer.core.errors import NeedsError

MIXED = {"cuda"}  # kinds of device that multiply bfloat16 faster


def device_for(local: int = 0) -> torch.device:
    """The GPU of a process (each has one of its own), else the CPU."""
    count = torch.cuda.device_count() if torch.cuda.is_available() else 0
    if not count:
        return torch.device("cpu")
    if local >= count:
        raise NeedsError(
            f"process {local} of this machine finds {count} GPUs, and each process needs its own",
            f"--processes {count}, or CUDA_VISIBLE_DEVICES= (nothing) to train on the CPU",
        )
    return torch.device("cuda", local)


@contextmanager
def working(device: torch.device) -> Iterator[None]:
    """Around a training: a GPU is the current one, and multiplies what stays float32 by its fast units (TF32)."""
    if device.type != "cuda":
        yield
        return
    before = torch.get_float32_matmul_precision()
    torch.set_float32_matmul_precision("high")
    try:
        with torch.cuda.device(device):
            yield
    finally:
        torch.set_float32_matmul_precision(before)


def on(device: torch.device) -> AbstractContextManager[Any]:
    """New tensors are made on ``device`` inside; those of ``torch.from_numpy`` are not, those of ``torch.as_tensor`` are."""
    return nullcontext() if device.type == "cpu" else device


def mixed(device: torch.device) -> torch.autocast:
    """Around a loss: matrix products in bfloat16 and sums in float32, where that is faster."""
    return torch.autocast(device.type, torch.bfloat16, enabled=device.type in MIXED)


def unmixed(tensor: torch.Tensor) -> AbstractContextManager[Any]:
    """Around layers that go step by step: what they add up needs more digits than bfloat16 has, and one type throughout."""
    kind = tensor.device.type
    here = torch.amp.is_autocast_available(kind) and torch.is_autocast_enabled(kind)
    return torch.autocast(kind, enabled=False) if here else nullcontext()
