"""VHRED (Serban et al. 2017): HRED with a Gaussian latent for each utterance."""

from __future__ import annotations

import numpy as np
import torch

from dialometer.nets.dialogue.data import Batch
from dialometer.nets.dialogue.hred import HredNetwork
from dialometer.nets.dialogue.latent import Gaussian, Latent, divergence
from dialometer.nets.dialogue.layers import NetworkOutput, NetworkSizes, State, seeded_noise

TURN = 1  # part of the seed, so that latents of a turn and of a dialogue differ


class VhredNetwork(HredNetwork):
    """Prior p(z | context), posterior q(z | context, utterance); the decoder is conditioned on context and z."""

    def __init__(self, sizes: NetworkSizes) -> None:
        super().__init__(sizes, conditioning=sizes.latent)
        self.prior = Latent(sizes.context, sizes.latent)
        self.posterior = Latent(sizes.context + sizes.hidden, sizes.latent)

    def forward(self, batch: Batch, *, swap: bool = False) -> NetworkOutput:
        """The terms of the evidence lower bound with z from q; ``swap`` gives each utterance the z of its neighbour."""
        encoded = self.encode(batch)
        after, before = self.follower(self.context_inputs(batch, encoded), batch)
        p, q = self.prior(before), self.posterior(torch.cat([before, encoded], dim=1))
        z = q.draw(seeded_noise(batch, batch.turns, self.sizes.latent, TURN))
        loss, nll = self.speaker(self.words, batch, torch.cat([before, z.roll(1, 0) if swap else z], dim=1))
        return NetworkOutput(loss, nll, divergence(q, p), excess(q, p, z), **self.head_losses(after, batch))

    def decoder_state(self, batch: Batch) -> tuple[State, torch.Tensor]:
        """z is drawn from the prior."""
        return self._begin(batch, self.context(batch))

    def opening_state(self, batch: Batch) -> tuple[State, torch.Tensor]:
        """z is drawn from the prior at the initial context."""
        return self._begin(batch, self.follower.initial_state(len(batch.numbers)))

    def _begin(self, batch: Batch, context: torch.Tensor) -> tuple[State, torch.Tensor]:
        z = self.prior(context).draw(seeded_noise(batch, np.ones(len(batch.numbers), int), self.sizes.latent, TURN))
        return self.speaker.initial_state(torch.cat([context, z], dim=1))


def excess(q: Gaussian, p: Gaussian, z: torch.Tensor) -> torch.Tensor:
    """log q(z) − log p(z) of each row, without a gradient."""
    with torch.no_grad():
        return q.log_density(z) - p.log_density(z)
