"""A dialogue network as a policy: the probability of its draws, and the surrogate whose gradient is that of the expected return.

With f the reward of each utterance, ``J = E Σ f`` and ``∇J = E [Σ ∇log p(r|c) · G + Σ ∇f]`` (Williams 1992), where G is the
return of the episode, or what of it comes from this utterance on. Here ``f = R − β KL + η H``: the divergence from the frozen
network and the entropy depend on the weights themselves, so that both parts of the gradient are theirs.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import torch

from dialometer.nets.dialogue.data import Batch, EncodedDialogues
from dialometer.nets.dialogue.decoding import DecodingOptions
from dialometer.nets.dialogue.protocol import Network
from dialometer.nets.training.vocabulary import END, UNKNOWN


@dataclass(frozen=True, eq=False)
class Rollouts:
    """Sampled utterances: the dialogue before each, its symbols without END, and the seed of its draws."""

    contexts: EncodedDialogues
    utterances: Sequence[Sequence[int]]
    seeds: tuple[int, ...]


@dataclass(frozen=True, eq=False)
class PolicyTerms:
    """Of each utterance, summed over its symbols: log p, log p by the frozen network, KL from that, and entropy."""

    log_p: torch.Tensor
    frozen: torch.Tensor
    kl: torch.Tensor
    entropy: torch.Tensor


def policy_terms(net: Network, frozen: Network, rollouts: Rollouts, options: DecodingOptions) -> PolicyTerms:
    """Exactly those of drawing with ``options``: masked symbols have none, and a reply that was cut off has no END."""
    rows = len(rollouts.utterances)
    sums = [torch.zeros(rows, dtype=net.words.weight.dtype) for _ in range(4)]
    for (at, logs, target), (_, old, _) in zip(
        _steps(net, rollouts, options), _steps(frozen, rollouts, options), strict=True
    ):
        p = logs.exp()
        parts = (logs.gather(1, target)[:, 0], old.gather(1, target)[:, 0], (p * (logs - old)).sum(1), -(p * logs).sum(1))
        sums = [total.index_add(0, at, part) for total, part in zip(sums, parts, strict=True)]
    return PolicyTerms(*sums)


def _steps(
    net: Network, rollouts: Rollouts, options: DecodingOptions
) -> Iterator[tuple[torch.Tensor, torch.Tensor, torch.Tensor]]:
    """Step by step as in sampling: the utterances that go on, log p of all symbols allowed, and the one drawn."""
    state, added = net.decoder_state(Batch(rollouts.contexts, np.arange(len(rollouts.utterances)), rollouts.seeds))
    wanted = [[*symbols, END][: options.limit] for symbols in rollouts.utterances]
    at, previous = torch.arange(len(wanted)), torch.full((len(wanted),), END)
    for step in range(max(map(len, wanted), default=0)):
        scores, state = net.speaker.step(net.words, previous, state, added)
        first = (
            max(UNKNOWN, END) + 1 if step < options.least else UNKNOWN + 1
        )  # UNKNOWN comes before END, and both before all words
        target = torch.tensor([wanted[row][step] for row in at.tolist()])
        yield at, torch.log_softmax(scores[:, first:] / options.temperature, dim=1), (target - first)[:, None]
        stays = torch.tensor([step + 1 < len(wanted[row]) for row in at.tolist()])
        at, previous, added = at[stays], target[stays], added[stays]
        state = tuple(part[stays] for part in state)


@dataclass(frozen=True)
class ObjectiveWeights:
    """β of the KL, η of the entropy, and whether an utterance is credited with the whole return or with the rest of it."""

    kl: float = 0.0
    entropy: float = 0.0
    credit: str = "return"


def credits(terms: PolicyTerms, rewards: np.ndarray, weights: ObjectiveWeights) -> np.ndarray:
    """G (episodes, turns): what each utterance is credited with, before any baseline."""
    kl, entropy = (part.detach().double().numpy().reshape(rewards.shape) for part in (terms.kl, terms.entropy))
    gains = rewards - weights.kl * kl + weights.entropy * entropy
    if weights.credit == "rest":
        return np.ascontiguousarray(gains[:, ::-1].cumsum(axis=1)[:, ::-1])
    return np.repeat(gains.sum(axis=1, keepdims=True), gains.shape[1], axis=1)


def surrogate(terms: PolicyTerms, advantages: np.ndarray, weights: ObjectiveWeights) -> torch.Tensor:
    """The surrogate loss: its gradient is an estimate of −∇J of the mean episode."""
    advantage = torch.as_tensor(advantages.reshape(-1), dtype=terms.log_p.dtype)
    gain = (advantage * terms.log_p).sum() - weights.kl * terms.kl.sum() + weights.entropy * terms.entropy.sum()
    return -gain / len(advantages)
