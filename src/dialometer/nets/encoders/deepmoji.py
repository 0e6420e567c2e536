"""DeepMoji (Felbo et al. 2017): words → tanh → two BiLSTMs with hard-sigmoid gates → attention over words → 64 emojis.

Names and shapes of the parameters are those of the weights that torchMoji publishes (``pytorch_model.bin``).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional as F

FEWEST = 32  # rows of a batch: with fewer, a matrix product may differ in its last bit


@dataclass(frozen=True)
class DeepMojiSizes:
    """The published ones are the defaults."""

    words: int = 50_000
    width: int = 256
    hidden: int = 512
    classes: int = 64

    @property
    def features(self) -> int:
        """Both layers in both directions, and the word itself."""
        return 4 * self.hidden + self.width

    def shapes(self) -> dict[str, tuple[int, ...]]:
        """Every parameter's name and shape."""
        gates = 4 * self.hidden
        made: dict[str, tuple[int, ...]] = {"embed.weight": (self.words, self.width)}
        for layer, width in (("lstm_0", self.width), ("lstm_1", 2 * self.hidden)):
            for way in ("", "_reverse"):
                made[f"{layer}.weight_ih_l0{way}"] = (gates, width)
                made[f"{layer}.weight_hh_l0{way}"] = (gates, self.hidden)
                made[f"{layer}.bias_ih_l0{way}"] = made[f"{layer}.bias_hh_l0{way}"] = (gates,)
        made["attention_layer.attention_vector"] = (self.features,)
        made["output_layer.0.weight"] = (self.classes, self.features)
        made["output_layer.0.bias"] = (self.classes,)
        return made


class HardLstm(nn.Module):
    """A bidirectional LSTM layer whose gates are ``clip(x/5 + ½, 0, 1)``; torch's own LSTM has no such gates."""

    def __init__(self, width: int, hidden: int) -> None:
        super().__init__()
        for way in ("", "_reverse"):
            self.register_parameter(f"weight_ih_l0{way}", nn.Parameter(torch.zeros(4 * hidden, width)))
            self.register_parameter(f"weight_hh_l0{way}", nn.Parameter(torch.zeros(4 * hidden, hidden)))
            self.register_parameter(f"bias_ih_l0{way}", nn.Parameter(torch.zeros(4 * hidden)))
            self.register_parameter(f"bias_hh_l0{way}", nn.Parameter(torch.zeros(4 * hidden)))

    def forward(self, steps: Tensor) -> Tensor:
        """(rows, steps, width) → (rows, steps, 2 hidden)."""
        return torch.cat([self._read(steps, ""), self._read(steps.flip(1), "_reverse").flip(1)], dim=2)

    def _read(self, steps: Tensor, way: str) -> Tensor:
        w_ih, w_hh, b_ih, b_hh = (
            self.get_parameter(f"{part}_l0{way}") for part in ("weight_ih", "weight_hh", "bias_ih", "bias_hh")
        )
        hidden = cell = steps.new_zeros(len(steps), w_hh.shape[1])
        outputs = []
        for step in steps.unbind(1):
            gates = F.linear(step, w_ih, b_ih) + F.linear(hidden, w_hh, b_hh)
            enter, forget, candidate, leave = gates.chunk(4, dim=1)
            cell = _hard(forget) * cell + _hard(enter) * candidate.tanh()
            hidden = _hard(leave) * cell.tanh()
            outputs.append(hidden)
        return torch.stack(outputs, dim=1)


def _hard(gate: Tensor) -> Tensor:
    """Keras' hard sigmoid: slope 1/5 (torch's own has 1/6)."""
    return (0.2 * gate + 0.5).clamp(0, 1)


class Attention(nn.Module):
    """A softmax over steps of one learnt vector's products, and the mean under it."""

    def __init__(self, features: int) -> None:
        super().__init__()
        self.attention_vector = nn.Parameter(torch.zeros(features))

    def forward(self, steps: Tensor) -> Tensor:
        """(rows, steps, features) → (rows, features)."""
        share = (steps * self.attention_vector).sum(dim=2).softmax(dim=1)
        return (steps * share.unsqueeze(2)).sum(dim=1)


class DeepMojiNet(nn.Module):
    """Word ids of texts of one length in, probabilities of the emojis out."""

    def __init__(self, sizes: DeepMojiSizes) -> None:
        super().__init__()
        self.embed = nn.Embedding(sizes.words, sizes.width)
        self.lstm_0 = HardLstm(sizes.width, sizes.hidden)
        self.lstm_1 = HardLstm(2 * sizes.hidden, sizes.hidden)
        self.attention_layer = Attention(sizes.features)
        self.output_layer = nn.Sequential(nn.Linear(sizes.features, sizes.classes), nn.Softmax(dim=1))

    def forward(self, ids: Tensor) -> Tensor:
        """(rows, steps) → (rows, classes); rows do not depend on each other, to the tolerance for networks."""
        rows = len(ids)
        words = self.embed(F.pad(ids, (0, 0, 0, max(0, FEWEST - rows)))).tanh()
        first = self.lstm_0(words)
        second = self.lstm_1(first)
        return self.output_layer(self.attention_layer(torch.cat([second, first, words], dim=2)))[:rows]

    @torch.inference_mode()
    def read(self, ids: np.ndarray) -> np.ndarray:
        """Probabilities without gradients, from numpy to numpy."""
        made: np.ndarray = self(torch.from_numpy(ids)).numpy()
        return made
