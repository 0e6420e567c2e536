"""VHCR (Park et al. 2018): VHRED with a second latent for the whole dialogue, and utterance dropout."""

from __future__ import annotations

import numpy as np
import torch
from torch import nn
from torch.nn.utils.rnn import PackedSequence

from dialometer.nets.dialogue.data import Batch
from dialometer.nets.dialogue.hred import HredNetwork, last
from dialometer.nets.dialogue.latent import Gaussian, Latent, divergence, standard
from dialometer.nets.dialogue.layers import NetworkOutput, NetworkSizes, State, seeded_noise
from dialometer.nets.dialogue.vhred import TURN, excess
from dialometer.nets.training.devices import unmixed

TALK = 2


class VhcrNetwork(HredNetwork):
    """Dialogue latent z ~ N(0, I), inferred from all utterances; an input of context RNN, turn latents and decoder."""

    ties_turns = True

    def __init__(self, sizes: NetworkSizes) -> None:
        wide, z = sizes.context, sizes.latent
        super().__init__(sizes, inputs=z, conditioning=2 * z, shared=z)
        self.both = nn.GRU(sizes.hidden, wide // 2, bidirectional=True)
        self.talk = Latent(wide // 2 * 2, z)
        self.prior = Latent(wide + z, z)
        self.posterior = Latent(wide + sizes.hidden + z, z)
        self.unheard = nn.Parameter(torch.zeros(sizes.hidden))

    def forward(self, batch: Batch, *, swap: bool = False) -> NetworkOutput:
        """The terms of the evidence lower bound; ``swap`` gives each utterance the z of its neighbour."""
        encoded = self.encode(batch)
        talk = self.dialogue_posterior(batch, encoded)
        z_talk = talk.draw(self._noise(batch, TALK))
        after, before, z_here = self.run_context(batch, encoded, z_talk)
        p = self.prior(torch.cat([before, z_here], dim=1))
        q = self.posterior(torch.cat([before, encoded, z_here], dim=1))
        z = q.draw(seeded_noise(batch, batch.turns, self.sizes.latent, TURN))
        z_turn = z.roll(1, 0) if swap else z
        loss, nll = self.speaker(self.words, batch, torch.cat([before, z_turn, z_here], dim=1))
        whole = standard(talk.mean)
        output = NetworkOutput(
            loss, nll, divergence(q, p), excess(q, p, z), divergence(talk, whole), excess(talk, whole, z_talk)
        )
        return NetworkOutput(**(vars(output) | self.head_losses(after, batch)))

    def decoder_state(self, batch: Batch) -> tuple[State, torch.Tensor]:
        """The dialogue latent comes from its posterior, the latent of the turn from its prior."""
        encoded = self.encode(batch)
        z_talk = self.dialogue_posterior(batch, encoded).draw(self._noise(batch, TALK))
        return self._begin(batch, self.run_context(batch, encoded, z_talk)[0][last(batch)], z_talk)

    def opening_state(self, batch: Batch) -> tuple[State, torch.Tensor]:
        """The dialogue latent is drawn from N(0, I): there is nothing to infer it from."""
        z_talk = standard(self.unheard.new_empty(len(batch.numbers), self.sizes.latent)).draw(self._noise(batch, TALK))
        return self._begin(batch, self.follower.initial_state(len(batch.numbers), z_talk), z_talk)

    def _begin(self, batch: Batch, context: torch.Tensor, z_talk: torch.Tensor) -> tuple[State, torch.Tensor]:
        z = self.prior(torch.cat([context, z_talk], dim=1)).draw(self._noise(batch, TURN))
        return self.speaker.initial_state(torch.cat([context, z, z_talk], dim=1))

    def _noise(self, batch: Batch, kind: int) -> torch.Tensor | None:
        """Noise of one latent per dialogue."""
        return seeded_noise(batch, np.ones(len(batch.numbers), int), self.sizes.latent, kind)

    def context(self, batch: Batch) -> torch.Tensor:
        """The context state after each dialogue, at the posterior mean of its latent."""
        return self.after(batch, self.encode(batch))

    def after(self, batch: Batch, encoded: torch.Tensor) -> torch.Tensor:
        """The context state after each dialogue, given the vectors of the utterances."""
        return self.run_context(batch, encoded, self.dialogue_posterior(batch, encoded).mean)[0][last(batch)]

    def dialogue_posterior(self, batch: Batch, encoded: torch.Tensor) -> Gaussian:
        """q(z | utterances of the dialogue)."""
        packed = batch.talk
        inputs = encoded[packed.index].to(self.unheard.dtype)
        with unmixed(encoded):
            ends = self.both(PackedSequence(inputs, torch.tensor(packed.sizes, device="cpu")))[1]
        return self.talk(torch.cat([ends[0], ends[1]], dim=1)[packed.place])

    def run_context(
        self, batch: Batch, encoded: torch.Tensor, z_talk: torch.Tensor
    ) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
        """The context after and before each utterance, and the dialogue latent of each; with utterance dropout in training."""
        if self.training and self.sizes.utterance_drop:
            dropped = torch.rand(len(encoded))[:, None] < self.sizes.utterance_drop
            encoded = torch.where(dropped, self.unheard, encoded)
        z_here = z_talk[torch.as_tensor(batch.owner)]
        after, before = self.follower(torch.cat([self.context_inputs(batch, encoded), z_here], dim=1), batch, z_talk)
        return after, before, z_here
