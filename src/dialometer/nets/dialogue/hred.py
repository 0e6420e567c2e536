"""HRED (Sordoni et al. 2015, Serban et al. 2016): utterance encoder, context RNN and decoder; EI heads on the context."""

from __future__ import annotations

from typing import Self

import numpy as np
import torch
from torch import nn
from torch.nn.functional import log_softmax

from dialometer.nets.dialogue.context_cache import ContextCache, cached_contexts
from dialometer.nets.dialogue.data import Batch
from dialometer.nets.dialogue.layers import (
    ContextRNN,
    Decoder,
    NetworkOutput,
    NetworkSizes,
    State,
    SymbolEmbedding,
    UtteranceEncoder,
)
from dialometer.nets.dialogue.protocol import Network


class HredNetwork(Network):
    """Utterance GRU → context GRU → decoder GRU."""

    def __init__(self, sizes: NetworkSizes, *, inputs: int = 0, conditioning: int = 0, shared: int = 0) -> None:
        """Subclasses add widths: of the context's inputs, of the decoder's conditioning, of a latent of the whole dialogue."""
        super().__init__()
        self.sizes = sizes
        self.words = SymbolEmbedding(sizes.symbols, sizes.embedding)
        self.reader = UtteranceEncoder(self.words, sizes.hidden, sizes)
        facts = sum(sizes.facts) if sizes.facts_heard else 0
        self.follower = ContextRNN(sizes.hidden + facts + inputs, sizes.context, shared)
        self.speaker = Decoder(self.words, sizes.context + conditioning, sizes.hidden, sizes)
        self.heads = EIHeads(sizes) if any(sizes.heads) else None
        self.cache = ContextCache()

    def forward(self, batch: Batch, *, swap: bool = False) -> NetworkOutput:
        """Negative log-likelihood of every utterance given those before it; there is no latent to swap."""
        after, before = self.follower(self.context_inputs(batch, self.encode(batch)), batch)
        loss, nll = self.speaker(self.words, batch, before)
        return NetworkOutput(loss, nll, **self.head_losses(after, batch))

    def decoder_state(self, batch: Batch) -> tuple[State, torch.Tensor]:
        """First state and conditioning of the decoder for the utterance after each dialogue."""
        return self.speaker.initial_state(self.context(batch))

    def opening_state(self, batch: Batch) -> tuple[State, torch.Tensor]:
        """The same for the first utterance, from the initial state of the context RNN."""
        return self.speaker.initial_state(self.follower.initial_state(len(batch.numbers)))

    def context(self, batch: Batch) -> torch.Tensor:
        """The context state after each dialogue; outside training, states of turns that were encoded before are reused."""
        return self.after(batch, self.encode(batch)) if self.training else cached_contexts(self, batch, self.cache)

    def after(self, batch: Batch, encoded: torch.Tensor) -> torch.Tensor:
        """The context state after each dialogue, given the vectors of the utterances."""
        states: torch.Tensor = self.follower(self.context_inputs(batch, encoded), batch)[0]
        return states[last(batch)]

    def train(self, mode: bool = True) -> Self:
        """Switch the mode and empty the cache, which holds states of the present weights."""
        self.cache = ContextCache()
        return super().train(mode)

    def encode(self, batch: Batch) -> torch.Tensor:
        """A vector per utterance."""
        return self.reader(self.words, batch.symbols(), batch.words)

    def context_inputs(self, batch: Batch, encoded: torch.Tensor, utterances: np.ndarray | None = None) -> torch.Tensor:
        """Inputs of the context RNN for all utterances, or for some: their vectors, and emotion and sentence vector if so built."""
        if not self.sizes.facts_heard:
            return encoded
        facts = batch.facts().to(encoded.dtype)
        return torch.cat([encoded, facts if utterances is None else facts[torch.as_tensor(utterances)]], dim=1)

    def head_losses(self, after: torch.Tensor, batch: Batch) -> dict[str, torch.Tensor]:
        """The losses of the EI heads, if there are heads and the batch has targets."""
        if self.heads is None or batch.data.facts is None:
            return {}
        losses: dict[str, torch.Tensor] = self.heads(after, batch.facts().to(after.dtype))
        return losses


class EIHeads(nn.Module):
    """EI regularisation (Ghandeharioun et al. 2019, §3.1): heads that predict emotion and sentence vector from the context state.

    Cross-entropy to the distribution of emotions, mean squared error to the sentence vector; a head of width 0 is left out.
    """

    def __init__(self, sizes: NetworkSizes) -> None:
        super().__init__()
        self.emotions, self.width = sizes.facts
        self.emotion = _head(sizes.context, sizes.heads[0], self.emotions) if sizes.heads[0] else None
        self.vector = _head(sizes.context, sizes.heads[1], self.width) if sizes.heads[1] else None

    def forward(self, after: torch.Tensor, facts: torch.Tensor) -> dict[str, torch.Tensor]:
        """Sums over utterances: Σ −p log p̂ for the emotion, Σ mean squared difference for the vector."""
        losses = {}
        if self.emotion is not None:
            losses["emotion"] = -(facts[:, : self.emotions] * log_softmax(self.emotion(after), dim=1)).sum()
        if self.vector is not None:
            losses["vector"] = ((self.vector(after) - facts[:, self.emotions :]) ** 2).mean(1).sum()
        return losses


def _head(width: int, inner: int, out: int) -> nn.Sequential:
    return nn.Sequential(nn.Linear(width, inner), nn.ReLU(), nn.Linear(inner, out))


def last(batch: Batch) -> torch.Tensor:
    """The number of the last utterance of each dialogue."""
    return torch.as_tensor(batch.turns.cumsum() - 1)
