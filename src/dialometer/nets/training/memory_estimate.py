"""The memory that a network needs, known before it is allocated."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Sequence
from typing import Any

import torch

from dialometer.core.memory import require_memory
from dialometer.core.registry import spec_of

COPIES = 6  # weights, gradients, Adam's two moments, the best weights so far, the weights that are kept in the end


def parameter_bytes(make: Callable[[], torch.nn.Module]) -> int:
    """The size of a network's weights; it is built without any, and nothing is drawn."""
    with torch.random.fork_rng(devices=[]), torch.device("meta"):
        return sum(tensor.numel() * tensor.element_size() for tensor in make().state_dict().values())


def require_training(
    thing: Any, make: Callable[[], torch.nn.Module], options: Sequence[str], *, states: float = 0, processes: int = 1
) -> None:
    """Refuse a training that cannot fit; ``options`` decide its size, ``states`` are bytes kept of a batch for the gradient."""
    needed = (COPIES * parameter_bytes(make) + states) * processes
    require_memory(needed, f"{spec_of(thing, thing.name)} in training", smaller(thing, options))


def smaller(thing: Any, options: Sequence[str]) -> str:
    """A spec to try instead: options above their default, as by default; the first one halved if there are none."""
    usual = {field.name: field.default for field in dataclasses.fields(thing)}
    above = [option for option in options if getattr(thing, option) > usual[option]]
    told = [f"{option}={usual[option]}" for option in above] or [f"{options[0]}={getattr(thing, options[0]) // 2}"]
    return f"{thing.name}({','.join(told)})"
