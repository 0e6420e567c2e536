"""VHRED (Serban et al. 2017): HRED with a Gaussian latent for each utterance, drawn before it is said."""

from __future__ import annotations

import numpy as np
import torch

from dialometer.nets.dialogue.data import Batch
from dialometer.nets.dialogue.hred import Hred
from dialometer.nets.dialogue.latent import Gaussian, Latent, divergence
from dialometer.nets.dialogue.layers import Sizes, State, Told, drawn

TURN = 1  # the kind of draw, so that latents of a turn and of a conversation differ


class Vhred(Hred):
    """p(z | context) before an utterance, q(z | context, utterance) while learning; the decoder hears context and z."""

    def __init__(self, sizes: Sizes) -> None:
        super().__init__(sizes, given=sizes.latent)
        self.prior = Latent(sizes.context, sizes.latent)
        self.posterior = Latent(sizes.context + sizes.hidden, sizes.latent)

    def forward(self, batch: Batch, *, swap: bool = False) -> Told:
        """The bound's parts with z from q; ``swap`` gives each utterance the z of its neighbour."""
        read = self.read(batch)
        after, before = self.follower(self.heard(batch, read), batch)
        p, q = self.prior(before), self.posterior(torch.cat([before, read], dim=1))
        z = q.draw(drawn(batch, batch.turns, self.sizes.latent, TURN))
        loss, nll = self.speaker(self.words, batch, torch.cat([before, z.roll(1, 0) if swap else z], dim=1))
        return Told(loss, nll, divergence(q, p), excess(q, p, z), **self.distilled(after, batch))

    def listen(self, batch: Batch) -> tuple[State, torch.Tensor]:
        """z is drawn from p."""
        return self._begin(batch, self.context(batch))

    def opening(self, batch: Batch) -> tuple[State, torch.Tensor]:
        """Likewise, from the context before anything was said."""
        return self._begin(batch, self.follower.begin(len(batch.numbers)))

    def _begin(self, batch: Batch, context: torch.Tensor) -> tuple[State, torch.Tensor]:
        z = self.prior(context).draw(drawn(batch, np.ones(len(batch.numbers), int), self.sizes.latent, TURN))
        return self.speaker.begin(torch.cat([context, z], dim=1))


def excess(q: Gaussian, p: Gaussian, z: torch.Tensor) -> torch.Tensor:
    """log q(z) − log p(z) of each row, without a gradient."""
    with torch.no_grad():
        return q.log_density(z) - p.log_density(z)
