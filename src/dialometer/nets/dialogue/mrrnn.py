"""MrRNN (Serban et al. 2017b): a coarse model says which content words come next, a second model turns them into an utterance."""

from __future__ import annotations

import torch
from torch import nn

from dialometer.nets.dialogue.data import Batch
from dialometer.nets.dialogue.decoding import Way, speak
from dialometer.nets.dialogue.hred import Hred, last
from dialometer.nets.dialogue.layers import Follower, Reader, Sizes, Speaker, State, Told, Words

LONGEST = 12  # symbols of a coarse sequence, its END not counted


class Mrrnn(Hred):
    """HRED whose decoder is also given the context of a coarse HRED, the coarse sequence of what is to be said included."""

    def __init__(self, sizes: Sizes) -> None:
        super().__init__(sizes, given=sizes.context)
        self.coarse = _Coarse(sizes)

    def forward(self, batch: Batch, *, swap: bool = False) -> Told:
        """−log p of the coarse sequence and of the words given it; ``swap`` gives each utterance its neighbour's sequence."""
        after, before = self.coarse.follow(batch.coarse)
        coarse, plan = self.coarse.speaker(self.coarse.words, batch.coarse, before)
        _, context = self.follower(self.read(batch), batch)
        given = torch.cat([context, after.roll(1, 0) if swap else after], dim=1)
        loss, nll = self.speaker(self.words, batch, given)
        return Told(loss + coarse, nll + plan)

    def listen(self, batch: Batch) -> tuple[State, torch.Tensor]:
        """The coarse sequence is said first, the likeliest word at each step, and heard by the coarse context."""
        return self._begin(self.context(batch), batch.coarse, self.plan(batch.coarse))

    def opening(self, batch: Batch) -> tuple[State, torch.Tensor]:
        """Likewise, from both contexts before anything was said."""
        plan = self._said(self.coarse.follower.begin(len(batch.numbers)))
        return self._begin(self.follower.begin(len(batch.numbers)), batch.coarse, plan)

    def plan(self, coarse: Batch) -> list[list[int]]:
        """The coarse sequence of what comes after each conversation; it may be empty, as those of many utterances are."""
        return self._said(self.coarse.follow(coarse)[0][last(coarse)])

    def _said(self, context: torch.Tensor) -> list[list[int]]:
        state, added = self.coarse.speaker.begin(context)
        return speak(self.coarse.speaker, self.coarse.words, state, added, Way(limit=LONGEST, least=0))

    def _begin(self, context: torch.Tensor, coarse: Batch, plan: list[list[int]]) -> tuple[State, torch.Tensor]:
        longer = coarse.extended(plan)
        planned = self.coarse.follow(longer)[0][last(longer)]
        return self.speaker.begin(torch.cat([context, planned], dim=1))


class _Coarse(nn.Module):
    """The same levels over content words, with vectors of its own."""

    def __init__(self, sizes: Sizes) -> None:
        super().__init__()
        self.words = Words(sizes.coarse, sizes.embedding)
        self.reader = Reader(self.words, sizes.hidden, sizes)
        self.follower = Follower(sizes.hidden, sizes.context)
        self.speaker = Speaker(self.words, sizes.context, sizes.hidden, sizes)

    def follow(self, batch: Batch) -> tuple[torch.Tensor, torch.Tensor]:
        """The context after and before each utterance."""
        both: tuple[torch.Tensor, torch.Tensor] = self.follower(
            self.reader(self.words, batch.symbols(), batch.words), batch
        )
        return both
