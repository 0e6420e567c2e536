"""Seq2Seq (Sutskever et al. 2014, Vinyals & Le 2015): the last utterances are encoded as one sequence, the next is decoded."""

from __future__ import annotations

import numpy as np
import torch
from torch import nn

from dialometer.nets.dialogue.data import Batch, Packed
from dialometer.nets.dialogue.layers import Decoder, NetworkOutput, NetworkSizes, State, SymbolEmbedding, UtteranceEncoder
from dialometer.nets.dialogue.protocol import Network


class Seq2seqNetwork(Network):
    """Encoder GRU over the last ``turns`` utterances → decoder GRU."""

    def __init__(self, sizes: NetworkSizes) -> None:
        super().__init__()
        self.sizes = sizes
        self.words = SymbolEmbedding(sizes.symbols, sizes.embedding)
        self.reader = UtteranceEncoder(self.words, sizes.hidden, sizes)
        self.speaker = Decoder(self.words, sizes.hidden, sizes.hidden, sizes)
        self.silence = nn.Parameter(torch.zeros(sizes.hidden))

    def forward(self, batch: Batch, *, swap: bool = False) -> NetworkOutput:
        """Negative log-likelihood of every utterance given those just before it; there is no latent to swap."""
        number = np.arange(len(batch.rows)) - np.repeat(np.cumsum(batch.turns) - batch.turns, batch.turns)
        known = np.minimum(number, self.sizes.turns)
        rest = np.flatnonzero(known)
        conditioning = self.silence.expand(len(known), -1)
        if len(rest):
            rows = batch.rows[rest]
            encoded = self._encode(batch, rows - known[rest], rows)
            conditioning = conditioning.index_copy(0, torch.as_tensor(rest), encoded)
        return NetworkOutput(*self.speaker(self.words, batch, conditioning))

    def decoder_state(self, batch: Batch) -> tuple[State, torch.Tensor]:
        """From the vector of the last utterances."""
        ends = batch.data.talks[batch.numbers + 1]
        return self.speaker.initial_state(self._encode(batch, ends - np.minimum(batch.turns, self.sizes.turns), ends))

    def opening_state(self, batch: Batch) -> tuple[State, torch.Tensor]:
        """From a trained vector that stands for an empty context."""
        return self.speaker.initial_state(self.silence.expand(len(batch.numbers), -1))

    def _encode(self, batch: Batch, first: np.ndarray, end: np.ndarray) -> torch.Tensor:
        """Utterances ``first`` to ``end`` of the corpus as one sequence each."""
        starts = batch.data.starts
        packed = Packed.of(starts[first], starts[end] - starts[first])
        symbols = torch.as_tensor(batch.data.flat[packed.index])
        return self.reader(self.words, symbols, packed)
