"""What every talking network can do."""

from __future__ import annotations

import torch
from torch import nn

from dialometer.nets.dialogue.data import Batch
from dialometer.nets.dialogue.layers import Sizes, Speaker, State, Told, Words


class Network(nn.Module):
    """Words, a speaker, and two questions: how probable was what was said, and what is needed to say what comes next."""

    sizes: Sizes
    words: Words
    speaker: Speaker
    ties_turns = False  # whether a latent spans the conversation

    def forward(self, batch: Batch, *, swap: bool = False) -> Told:
        """−log p of every utterance given those before it; ``swap`` gives each utterance the latent of its neighbour."""
        raise NotImplementedError

    def listen(self, batch: Batch) -> tuple[State, torch.Tensor]:
        """The speaker's first state, and what is added to all it hears, to say the utterance after each conversation."""
        raise NotImplementedError

    def opening(self, batch: Batch) -> tuple[State, torch.Tensor]:
        """The same to say the first utterance of each conversation: nothing was said in any of this batch."""
        raise NotImplementedError
