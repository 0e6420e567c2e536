"""Seq2Seq (Sutskever et al. 2014, Vinyals & Le 2015): the last utterances are read as one, the next is said."""

from __future__ import annotations

import numpy as np
import torch
from torch import nn

from dialometer.nets.dialogue.data import Batch, Packed
from dialometer.nets.dialogue.layers import Reader, Sizes, Speaker, State, Told, Words
from dialometer.nets.dialogue.protocol import Network


class Seq2seq(Network):
    """Encoder GRU over the last ``turns`` utterances → decoder GRU."""

    def __init__(self, sizes: Sizes) -> None:
        super().__init__()
        self.sizes = sizes
        self.words = Words(sizes.symbols, sizes.embedding)
        self.reader = Reader(self.words, sizes.hidden, sizes)
        self.speaker = Speaker(self.words, sizes.hidden, sizes.hidden, sizes)
        self.silence = nn.Parameter(torch.zeros(sizes.hidden))

    def forward(self, batch: Batch, *, swap: bool = False) -> Told:
        """−log p of every utterance given those just before it; there is no latent to swap."""
        number = np.arange(len(batch.rows)) - np.repeat(np.cumsum(batch.turns) - batch.turns, batch.turns)
        known = np.minimum(number, self.sizes.turns)
        heard = np.flatnonzero(known)
        given = self.silence.expand(len(known), -1)
        if len(heard):
            rows = batch.rows[heard]
            given = given.index_copy(0, torch.as_tensor(heard), self._read(batch, rows - known[heard], rows))
        return Told(*self.speaker(self.words, batch, given))

    def listen(self, batch: Batch) -> tuple[State, torch.Tensor]:
        """What the speaker needs to say the utterance after each conversation."""
        ends = batch.data.talks[batch.numbers + 1]
        return self.speaker.begin(self._read(batch, ends - np.minimum(batch.turns, self.sizes.turns), ends))

    def opening(self, batch: Batch) -> tuple[State, torch.Tensor]:
        """The vector that stands for silence."""
        return self.speaker.begin(self.silence.expand(len(batch.numbers), -1))

    def _read(self, batch: Batch, first: np.ndarray, end: np.ndarray) -> torch.Tensor:
        """Utterances ``first`` to ``end`` of the corpus as one sequence each."""
        starts = batch.data.starts
        packed = Packed.of(starts[first], starts[end] - starts[first])
        symbols = torch.as_tensor(batch.data.flat[packed.index])
        return self.reader(self.words, symbols, packed)
