"""HRED (Sordoni et al. 2015, Serban et al. 2016): utterances are read, the conversation followed, the next utterance said."""

from __future__ import annotations

from typing import Self

import numpy as np
import torch

from dialometer.nets.dialogue.context_cache import Memory, contexts
from dialometer.nets.dialogue.data import Batch
from dialometer.nets.dialogue.ei_heads import Heads
from dialometer.nets.dialogue.layers import Follower, Reader, Sizes, Speaker, State, Told, Words
from dialometer.nets.dialogue.protocol import Network


class Hred(Network):
    """Utterance GRU → context GRU → decoder GRU."""

    def __init__(self, sizes: Sizes, *, heard: int = 0, given: int = 0, shared: int = 0) -> None:
        """Heirs hear, are given, or share with the whole conversation some numbers more."""
        super().__init__()
        self.sizes = sizes
        self.words = Words(sizes.symbols, sizes.embedding)
        self.reader = Reader(self.words, sizes.hidden, sizes)
        facts = sum(sizes.facts) if sizes.facts_heard else 0
        self.follower = Follower(sizes.hidden + facts + heard, sizes.context, shared)
        self.speaker = Speaker(self.words, sizes.context + given, sizes.hidden, sizes)
        self.heads = Heads(sizes) if any(sizes.heads) else None
        self.memory = Memory()

    def forward(self, batch: Batch, *, swap: bool = False) -> Told:
        """−log p of every utterance given those before it; there is no latent to swap."""
        after, before = self.follower(self.heard(batch, self.read(batch)), batch)
        loss, nll = self.speaker(self.words, batch, before)
        return Told(loss, nll, **self.distilled(after, batch))

    def listen(self, batch: Batch) -> tuple[State, torch.Tensor]:
        """What the speaker needs to say the utterance after each conversation."""
        return self.speaker.begin(self.context(batch))

    def opening(self, batch: Batch) -> tuple[State, torch.Tensor]:
        """The context before anything was said."""
        return self.speaker.begin(self.follower.begin(len(batch.numbers)))

    def context(self, batch: Batch) -> torch.Tensor:
        """The context's state after each conversation; while it does not learn, turns heard before are not heard again."""
        return self.after(batch, self.read(batch)) if self.training else contexts(self, batch, self.memory)

    def after(self, batch: Batch, read: torch.Tensor) -> torch.Tensor:
        """The same, given the vectors of the utterances."""
        followed: torch.Tensor = self.follower(self.heard(batch, read), batch)[0]
        return followed[last(batch)]

    def train(self, mode: bool = True) -> Self:
        """What is remembered holds for these weights alone."""
        self.memory = Memory()
        return super().train(mode)

    def read(self, batch: Batch) -> torch.Tensor:
        """A vector per utterance."""
        return self.reader(self.words, batch.symbols(), batch.words)

    def heard(self, batch: Batch, read: torch.Tensor, utterances: np.ndarray | None = None) -> torch.Tensor:
        """What the context hears of all utterances, or of some: the vectors, and further numbers where it is so built."""
        if not self.sizes.facts_heard:
            return read
        facts = batch.facts().to(read.dtype)
        return torch.cat([read, facts if utterances is None else facts[torch.as_tensor(utterances)]], dim=1)

    def distilled(self, after: torch.Tensor, batch: Batch) -> dict[str, torch.Tensor]:
        """The distances of the heads, if there are any and it is known what they should say."""
        if self.heads is None or batch.data.facts is None:
            return {}
        told: dict[str, torch.Tensor] = self.heads(after, batch.facts().to(after.dtype))
        return told


def last(batch: Batch) -> torch.Tensor:
    """The number of the last utterance of each conversation."""
    return torch.as_tensor(batch.turns.cumsum() - 1)
