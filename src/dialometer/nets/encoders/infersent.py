"""InferSent (Conneau et al. 2017): a bidirectional LSTM over word vectors, the largest value of each dimension over time."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import torch
from torch import nn

from dialometer.core.errors import MissingResource
from dialometer.core.files import check_regular
from dialometer.nets.requirements import check_shapes, shapes_of

GATES = ("weight_ih_l0", "weight_hh_l0", "bias_ih_l0", "bias_hh_l0")
NAMES = tuple(f"enc_lstm.{gate}{side}" for side in ("", "_reverse") for gate in GATES)


class BiLstmMax(nn.Module):
    """Named as in the published state dict: ``enc_lstm``."""

    def __init__(self, inner: int, dim: int, zero: bool) -> None:
        super().__init__()
        self.enc_lstm = nn.LSTM(inner, dim, batch_first=True, bidirectional=True)
        self.zero = zero

    def forward(self, vectors: torch.Tensor) -> torch.Tensor:
        """(rows, time, inner) → (rows, 2 dim); ``zero`` lets a padding of zeros take part."""
        largest: torch.Tensor = self.enc_lstm(vectors)[0].max(dim=1).values
        return largest.clamp_min(0.0) if self.zero else largest


def shapes(inner: int, dim: int) -> dict[str, tuple[int, ...]]:
    """Names and shapes of the published parameters."""
    one = dict(zip(GATES, ((4 * dim, inner), (4 * dim, dim), (4 * dim,), (4 * dim,)), strict=True))
    return {name: one[name.removeprefix("enc_lstm.").removesuffix("_reverse")] for name in NAMES}


def read_weights(path: Path) -> dict[str, np.ndarray]:
    """The published parameters of a ``.pkl`` (a torch state dict, read without unpickling objects) or ``.safetensors`` file."""
    hint = "infersent(model=infersent2.pkl): the published encoder, a torch state dict, or the same as .safetensors"
    check_regular(path)
    if not path.is_file():
        raise MissingResource(f"there is no InferSent file {path}", hint)
    try:
        found = _read(path)
    except Exception as error:  # torch has no list of what a damaged file may raise
        reason = str(error).strip().splitlines()[0] if str(error).strip() else type(error).__name__
        raise MissingResource(f"{path} cannot be read as weights ({reason})", hint) from None
    if not isinstance(found, dict) or not all(isinstance(value, torch.Tensor) for value in found.values()):
        raise MissingResource(f"{path} is no state dict of tensors", hint)
    arrays = {str(name): tensor.float().numpy() for name, tensor in found.items()}
    deep = arrays.get(NAMES[1], np.zeros((0, 0))).shape
    wide = arrays.get(NAMES[0], np.zeros((0, 0))).shape
    check_shapes(shapes_of(arrays), shapes(wide[-1] if wide else 0, deep[-1] if deep else 0), str(path))
    return {name: arrays[name] for name in NAMES}


def _read(path: Path) -> object:
    if path.suffix == ".safetensors":
        from safetensors.torch import load_file

        return load_file(path)
    return torch.load(path, map_location="cpu", weights_only=True)
