"""MrRNN (Serban et al. 2017b): a coarse model says which content words come next, a second model turns them into an utterance."""

from __future__ import annotations

import torch
from torch import nn

from dialometer.nets.talk.data import Batch
from dialometer.nets.talk.decoding import Way, speak
from dialometer.nets.talk.hred import last
from dialometer.nets.talk.layers import Follower, Reader, Sizes, Speaker, State, Told, Words

LONGEST = 16  # symbols of a coarse sequence


class Mrrnn(nn.Module):
    """Two hierarchies; the word decoder is given its own context and the coarse one, the coarse sequence to be said included."""

    def __init__(self, sizes: Sizes) -> None:
        super().__init__()
        self.sizes = sizes
        self.coarse = _Level(sizes, sizes.coarse, sizes.context)
        self.fine = _Level(sizes, sizes.symbols, 2 * sizes.context)

    def forward(self, batch: Batch, *, swap: bool = False) -> Told:
        """−log p of the coarse sequence and of the words given it; ``swap`` gives each utterance its neighbour's sequence."""
        after, before = self.coarse.follow(batch.coarse)
        coarse, plan = self.coarse.speaker(self.coarse.words, batch.coarse, before)
        _, context = self.fine.follow(batch)
        given = torch.cat([context, after.roll(1, 0) if swap else after], dim=1)
        loss, nll = self.fine.speaker(self.fine.words, batch, given)
        return Told(loss + coarse, nll + plan)

    def listen(self, batch: Batch) -> tuple[State, torch.Tensor]:
        """The coarse sequence is said first, the likeliest word at each step, and heard by the coarse context."""
        after, _ = self.coarse.follow(batch.coarse)
        state, added = self.coarse.speaker.begin(after[last(batch)])
        said = speak(self.coarse.speaker, self.coarse.words, state, added, Way(limit=LONGEST))
        planned = self.coarse.follow(longer := batch.coarse.extended(said))[0][last(longer)]
        context, _ = self.fine.follow(batch)
        return self.fine.speaker.begin(torch.cat([context[last(batch)], planned], dim=1))

    @property
    def words(self) -> Words:
        """The symbols that are said in the end."""
        return self.fine.words

    @property
    def speaker(self) -> Speaker:
        """Who says them."""
        return self.fine.speaker


class _Level(nn.Module):
    """Words, reader, follower and speaker of one resolution."""

    def __init__(self, sizes: Sizes, symbols: int, given: int) -> None:
        super().__init__()
        self.words = Words(symbols, sizes.embedding)
        self.reader = Reader(self.words, sizes.hidden, sizes)
        self.follower = Follower(sizes.hidden, sizes.context, sizes)
        self.speaker = Speaker(self.words, given, sizes.hidden, sizes)

    def follow(self, batch: Batch) -> tuple[torch.Tensor, torch.Tensor]:
        """The context after and before each utterance."""
        read = self.reader(self.words, batch.symbols(), batch.words)
        return self.follower(read, batch)  # type: ignore[no-any-return]
