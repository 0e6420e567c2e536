"""VHCR (Park et al. 2018): VHRED with one more latent, which the whole conversation shares, and utterance drop."""

from __future__ import annotations

import numpy as np
import torch
from torch import nn
from torch.nn.utils.rnn import PackedSequence

from dialometer.nets.dialogue.data import Batch
from dialometer.nets.dialogue.hred import Hred, last
from dialometer.nets.dialogue.latent import Gaussian, Latent, divergence, standard
from dialometer.nets.dialogue.layers import Sizes, State, Told, drawn
from dialometer.nets.dialogue.vhred import TURN, excess
from dialometer.nets.training.devices import unmixed

TALK = 2


class Vhcr(Hred):
    """z of the conversation ~ N(0, I), told from all its utterances; context, turn latents and decoder hear it."""

    ties_turns = True

    def __init__(self, sizes: Sizes) -> None:
        wide, z = sizes.context, sizes.latent
        super().__init__(sizes, heard=z, given=2 * z, shared=z)
        self.both = nn.GRU(sizes.hidden, wide // 2, bidirectional=True)
        self.talk = Latent(wide // 2 * 2, z)
        self.prior = Latent(wide + z, z)
        self.posterior = Latent(wide + sizes.hidden + z, z)
        self.unheard = nn.Parameter(torch.zeros(sizes.hidden))

    def forward(self, batch: Batch, *, swap: bool = False) -> Told:
        """The bound's parts; ``swap`` gives each utterance the z of its neighbour."""
        read = self.read(batch)
        talk = self.shared(batch, read)
        z_talk = talk.draw(self._noise(batch, TALK))
        after, before, z_here = self.follow(batch, read, z_talk)
        p = self.prior(torch.cat([before, z_here], dim=1))
        q = self.posterior(torch.cat([before, read, z_here], dim=1))
        z = q.draw(drawn(batch, batch.turns, self.sizes.latent, TURN))
        said = z.roll(1, 0) if swap else z
        loss, nll = self.speaker(self.words, batch, torch.cat([before, said, z_here], dim=1))
        whole = standard(talk.mean)
        told = Told(loss, nll, divergence(q, p), excess(q, p, z), divergence(talk, whole), excess(talk, whole, z_talk))
        return Told(**(vars(told) | self.distilled(after, batch)))

    def listen(self, batch: Batch) -> tuple[State, torch.Tensor]:
        """The conversation's z is told from what was said so far, the turn's is drawn from p."""
        read = self.read(batch)
        z_talk = self.shared(batch, read).draw(self._noise(batch, TALK))
        return self._begin(batch, self.follow(batch, read, z_talk)[0][last(batch)], z_talk)

    def opening(self, batch: Batch) -> tuple[State, torch.Tensor]:
        """The conversation's z is drawn from N(0, I): nothing was said that tells of it."""
        z_talk = standard(self.unheard.new_empty(len(batch.numbers), self.sizes.latent)).draw(self._noise(batch, TALK))
        return self._begin(batch, self.follower.begin(len(batch.numbers), z_talk), z_talk)

    def _begin(self, batch: Batch, context: torch.Tensor, z_talk: torch.Tensor) -> tuple[State, torch.Tensor]:
        z = self.prior(torch.cat([context, z_talk], dim=1)).draw(self._noise(batch, TURN))
        return self.speaker.begin(torch.cat([context, z, z_talk], dim=1))

    def _noise(self, batch: Batch, kind: int) -> torch.Tensor | None:
        """What a latent of each conversation, or of its next turn, is drawn by."""
        return drawn(batch, np.ones(len(batch.numbers), int), self.sizes.latent, kind)

    def context(self, batch: Batch) -> torch.Tensor:
        """The context's state after each conversation, at the mean of its z."""
        return self.after(batch, self.read(batch))

    def after(self, batch: Batch, read: torch.Tensor) -> torch.Tensor:
        """The same, given the vectors of the utterances."""
        return self.follow(batch, read, self.shared(batch, read).mean)[0][last(batch)]

    def shared(self, batch: Batch, read: torch.Tensor) -> Gaussian:
        """q(z of the conversation | its utterances)."""
        packed = batch.talk
        heard = read[packed.index].to(self.unheard.dtype)
        with unmixed(read):
            ends = self.both(PackedSequence(heard, torch.tensor(packed.sizes, device="cpu")))[1]
        return self.talk(torch.cat([ends[0], ends[1]], dim=1)[packed.place])

    def follow(
        self, batch: Batch, read: torch.Tensor, z_talk: torch.Tensor
    ) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
        """The context after and before each utterance, and the conversation's z at each; some utterances go unheard."""
        if self.training and self.sizes.utterance_drop:
            lost = torch.rand(len(read))[:, None] < self.sizes.utterance_drop
            read = torch.where(lost, self.unheard, read)
        z_here = z_talk[torch.as_tensor(batch.owner)]
        after, before = self.follower(torch.cat([self.heard(batch, read), z_here], dim=1), batch, z_talk)
        return after, before, z_here
