"""MrRNN (Serban et al. 2017b): a coarse model generates content words, a second model the utterance given them."""

from __future__ import annotations

import torch
from torch import nn

from dialometer.nets.dialogue.data import Batch
from dialometer.nets.dialogue.decoding import DecodingOptions, generate
from dialometer.nets.dialogue.hred import HredNetwork, last
from dialometer.nets.dialogue.layers import (
    ContextRNN,
    Decoder,
    NetworkOutput,
    NetworkSizes,
    State,
    SymbolEmbedding,
    UtteranceEncoder,
)

LONGEST = 12  # symbols of a coarse sequence, its END not counted


class MrrnnNetwork(HredNetwork):
    """HRED whose decoder is also conditioned on a coarse HRED, run over the coarse sequence of the utterance to generate."""

    def __init__(self, sizes: NetworkSizes) -> None:
        super().__init__(sizes, conditioning=sizes.context)
        self.coarse = _Coarse(sizes)

    def forward(self, batch: Batch, *, swap: bool = False) -> NetworkOutput:
        """Negative log-likelihood of the coarse sequence and of the words given it; ``swap`` takes the neighbour's sequence."""
        after, before = self.coarse.contexts(batch.coarse)
        coarse, plan = self.coarse.speaker(self.coarse.words, batch.coarse, before)
        _, context = self.follower(self.encode(batch), batch)
        conditioning = torch.cat([context, after.roll(1, 0) if swap else after], dim=1)
        loss, nll = self.speaker(self.words, batch, conditioning)
        return NetworkOutput(loss + coarse, nll + plan)

    def decoder_state(self, batch: Batch) -> tuple[State, torch.Tensor]:
        """The coarse sequence is decoded greedily first and is the last input of the coarse context."""
        return self._begin(self.context(batch), batch.coarse, self.plan(batch.coarse))

    def opening_state(self, batch: Batch) -> tuple[State, torch.Tensor]:
        """The same from the initial states of both contexts."""
        plan = self._decode_plan(self.coarse.follower.initial_state(len(batch.numbers)))
        return self._begin(self.follower.initial_state(len(batch.numbers)), batch.coarse, plan)

    def plan(self, coarse: Batch) -> list[list[int]]:
        """The coarse sequence of the utterance after each dialogue; it may be empty, as those of many utterances are."""
        return self._decode_plan(self.coarse.contexts(coarse)[0][last(coarse)])

    def _decode_plan(self, context: torch.Tensor) -> list[list[int]]:
        state, added = self.coarse.speaker.initial_state(context)
        return generate(self.coarse.speaker, self.coarse.words, state, added, DecodingOptions(limit=LONGEST, least=0))

    def _begin(self, context: torch.Tensor, coarse: Batch, plan: list[list[int]]) -> tuple[State, torch.Tensor]:
        longer = coarse.extended(plan)
        planned = self.coarse.contexts(longer)[0][last(longer)]
        return self.speaker.initial_state(torch.cat([context, planned], dim=1))


class _Coarse(nn.Module):
    """The same levels over content words, with an embedding of its own."""

    def __init__(self, sizes: NetworkSizes) -> None:
        super().__init__()
        self.words = SymbolEmbedding(sizes.coarse, sizes.embedding)
        self.reader = UtteranceEncoder(self.words, sizes.hidden, sizes)
        self.follower = ContextRNN(sizes.hidden, sizes.context)
        self.speaker = Decoder(self.words, sizes.context, sizes.hidden, sizes)

    def contexts(self, batch: Batch) -> tuple[torch.Tensor, torch.Tensor]:
        """The context after and before each utterance."""
        both: tuple[torch.Tensor, torch.Tensor] = self.follower(
            self.reader(self.words, batch.symbols(), batch.words), batch
        )
        return both
