"""The base class of dialogue networks."""

from __future__ import annotations

import torch
from torch import nn

from dialometer.nets.dialogue.data import Batch
from dialometer.nets.dialogue.layers import Decoder, NetworkOutput, NetworkSizes, State, SymbolEmbedding


class Network(nn.Module):
    """Embedding and decoder, likelihoods of utterances, and the decoder state that generates the next one."""

    sizes: NetworkSizes
    words: SymbolEmbedding
    speaker: Decoder
    ties_turns = False  # whether a latent spans the dialogue

    def forward(self, batch: Batch, *, swap: bool = False) -> NetworkOutput:
        """Negative log-likelihood of every utterance given those before it; ``swap`` gives each the latent of its neighbour."""
        raise NotImplementedError

    def decoder_state(self, batch: Batch) -> tuple[State, torch.Tensor]:
        """First state of the decoder, and what is added to its inputs, for the utterance after each dialogue."""
        raise NotImplementedError

    def opening_state(self, batch: Batch) -> tuple[State, torch.Tensor]:
        """The same for the first utterance of each dialogue; all dialogues of the batch are empty."""
        raise NotImplementedError
