"""An LSTM language model over whole dialogues (Mikolov et al. 2010, with the cells of Hochreiter & Schmidhuber 1997)."""

from __future__ import annotations

import numpy as np
import torch

from dialometer.nets.dialogue.data import Batch, Packed
from dialometer.nets.dialogue.layers import Decoder, NetworkOutput, NetworkSizes, State, SymbolEmbedding
from dialometer.nets.dialogue.protocol import Network
from dialometer.nets.training.vocabulary import END


class LstmlmNetwork(Network):
    """One LSTM over all symbols of a dialogue, utterance after utterance."""

    def __init__(self, sizes: NetworkSizes) -> None:
        super().__init__()
        self.sizes = sizes
        self.words = SymbolEmbedding(sizes.symbols, sizes.embedding)
        self.speaker = Decoder(self.words, 0, sizes.hidden, sizes, lstm=True)

    def forward(self, batch: Batch, *, swap: bool = False) -> NetworkOutput:
        """Negative log-likelihood of every utterance given all before it; there is no latent to swap."""
        packed, states, _ = self._run(batch)
        symbols = torch.as_tensor(batch.data.flat[packed.index])
        loss, each = self.speaker.nll(self.words, states, symbols)
        first = np.cumsum(batch.turns) - batch.turns
        utterance = torch.as_tensor(np.searchsorted(batch.data.starts, packed.index, "right") - 1)
        row = utterance + torch.as_tensor(first - batch.rows[first])[packed.order[packed.owner]]
        return NetworkOutput(loss, torch.zeros(len(batch.rows), dtype=each.dtype).index_add(0, row, each))

    def decoder_state(self, batch: Batch) -> tuple[State, torch.Tensor]:
        """The state after each dialogue without its last END, which is the first input of the decoder."""
        packed, _, ends = self._run(batch)
        state = tuple(part[packed.place] for part in ends)
        return state, torch.zeros(len(batch.numbers), self.sizes.embedding, dtype=state[0].dtype)

    def opening_state(self, batch: Batch) -> tuple[State, torch.Tensor]:
        """The zero state; END is the first input, as at the start of every dialogue."""
        nothing = self.words.weight.new_zeros(len(batch.numbers), self.sizes.hidden)
        return (nothing, nothing), nothing.new_zeros(len(nothing), self.sizes.embedding)

    def _run(self, batch: Batch) -> tuple[Packed, torch.Tensor, State]:
        starts, talks = batch.data.starts, batch.data.talks
        begins = starts[talks[batch.numbers]]
        packed = Packed.of(begins, starts[talks[batch.numbers + 1]] - begins)
        inputs = torch.as_tensor(np.where(packed.first, END, batch.data.flat[packed.index - 1]))
        vectors = self.speaker.inputs(self.words, inputs)
        return packed, *self.speaker.rnn(vectors, packed.sizes)
