"""Conversations as named tensors, to be handed from one process to another."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import torch

from dialometer.nets.dialogue.data import Talks

NAMES = ("flat", "starts", "talks", "events", "facts")
COARSE = "coarse."


def tensors_of(data: Talks) -> dict[str, torch.Tensor]:
    """Every array of a corpus, those of its coarse form under names of their own."""
    arrays = {name: getattr(data, name) for name in NAMES}
    found = {name: torch.as_tensor(np.ascontiguousarray(array)) for name, array in arrays.items() if array is not None}
    return found | ({f"{COARSE}{name}": tensor for name, tensor in tensors_of(data.coarse).items()} if data.coarse else {})


def talks_of(tensors: Mapping[str, torch.Tensor]) -> Talks:
    """The corpus again."""
    arrays = {name: tensor.numpy() for name, tensor in tensors.items() if name in NAMES}
    coarse = {name.removeprefix(COARSE): tensor for name, tensor in tensors.items() if name.startswith(COARSE)}
    return Talks(**arrays, coarse=talks_of(coarse) if coarse else None)
