"""An LSTM language model over whole conversations (Mikolov et al. 2010, with the cells of Hochreiter & Schmidhuber 1997)."""

from __future__ import annotations

import numpy as np
import torch

from dialometer.nets.dialogue.data import Batch, Packed
from dialometer.nets.dialogue.layers import Sizes, Speaker, State, Told, Words
from dialometer.nets.dialogue.protocol import Network
from dialometer.nets.training.vocabulary import END


class Lstmlm(Network):
    """One LSTM hears everything that was said, utterance after utterance, and says what comes next."""

    def __init__(self, sizes: Sizes) -> None:
        super().__init__()
        self.sizes = sizes
        self.words = Words(sizes.symbols, sizes.embedding)
        self.speaker = Speaker(self.words, 0, sizes.hidden, sizes, lstm=True)

    def forward(self, batch: Batch, *, swap: bool = False) -> Told:
        """−log p of every utterance given all before it; there is no latent to swap."""
        packed, states, _ = self._run(batch)
        symbols = torch.as_tensor(batch.data.flat[packed.index])
        loss, each = self.speaker.surprise(self.words, states, symbols)
        first = np.cumsum(batch.turns) - batch.turns
        utterance = torch.as_tensor(np.searchsorted(batch.data.starts, packed.index, "right") - 1)
        row = utterance + torch.as_tensor(first - batch.rows[first])[packed.order[packed.owner]]
        return Told(loss, torch.zeros(len(batch.rows), dtype=each.dtype).index_add(0, row, each))

    def listen(self, batch: Batch) -> tuple[State, torch.Tensor]:
        """The state after each conversation but for its last END, which the speaker hears first."""
        packed, _, ends = self._run(batch)
        state = tuple(part[packed.place] for part in ends)
        return state, torch.zeros(len(batch.numbers), self.sizes.embedding, dtype=state[0].dtype)

    def opening(self, batch: Batch) -> tuple[State, torch.Tensor]:
        """The state before anything was heard; the speaker hears END first, as at the start of every conversation."""
        nothing = self.words.weight.new_zeros(len(batch.numbers), self.sizes.hidden)
        return (nothing, nothing), nothing.new_zeros(len(nothing), self.sizes.embedding)

    def _run(self, batch: Batch) -> tuple[Packed, torch.Tensor, State]:
        starts, talks = batch.data.starts, batch.data.talks
        begins = starts[talks[batch.numbers]]
        packed = Packed.of(begins, starts[talks[batch.numbers + 1]] - begins)
        heard = torch.as_tensor(np.where(packed.first, END, batch.data.flat[packed.index - 1]))
        vectors = self.speaker.heard(self.words, heard)
        return packed, *self.speaker.rnn(vectors, packed.sizes)
