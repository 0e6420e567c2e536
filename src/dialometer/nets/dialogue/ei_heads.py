"""EI regularisation (Ghandeharioun et al. 2019, §3.1): the context's state must tell emotion and meaning of what was just said.

Two small networks predict them: cross-entropy to the distribution of emotions, mean squared error to the sentence vector.
"""

from __future__ import annotations

import torch
from torch import nn
from torch.nn.functional import log_softmax

from dialometer.nets.dialogue.layers import Sizes


class Heads(nn.Module):
    """The context's state after an utterance → its emotion, its sentence vector; a head of width 0 is not there."""

    def __init__(self, sizes: Sizes) -> None:
        super().__init__()
        self.emotions, self.width = sizes.facts
        self.emotion = _head(sizes.context, sizes.heads[0], self.emotions) if sizes.heads[0] else None
        self.vector = _head(sizes.context, sizes.heads[1], self.width) if sizes.heads[1] else None

    def forward(self, after: torch.Tensor, facts: torch.Tensor) -> dict[str, torch.Tensor]:
        """Sums over utterances: Σ −p log p̂ for the emotion, Σ mean squared difference for the vector."""
        told = {}
        if self.emotion is not None:
            told["emotion"] = -(facts[:, : self.emotions] * log_softmax(self.emotion(after), dim=1)).sum()
        if self.vector is not None:
            told["vector"] = ((self.vector(after) - facts[:, self.emotions :]) ** 2).mean(1).sum()
        return told


def _head(given: int, inner: int, out: int) -> nn.Sequential:
    return nn.Sequential(nn.Linear(given, inner), nn.ReLU(), nn.Linear(inner, out))
