"""A talking network as a policy: the probability of what it drew, and the surrogate whose gradient is that of the expected return.

With f the reward of each utterance, ``J = E Σ f`` and ``∇J = E [Σ ∇log p(r|c) · G + Σ ∇f]`` (Williams 1992), where G is the
return of the episode, or what of it comes from this utterance on. Here ``f = R − β KL + η H``: the divergence from the frozen
network and the entropy depend on the weights themselves, so that both parts of the gradient are theirs.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import torch

from dialometer.nets.dialogue.data import Batch, Talks
from dialometer.nets.dialogue.decoding import Way
from dialometer.nets.dialogue.protocol import Network
from dialometer.nets.training.vocabulary import END, UNKNOWN


@dataclass(frozen=True, eq=False)
class Acts:
    """Utterances that were drawn: the conversation before each, its symbols without END, and the seed of its draws."""

    heard: Talks
    said: Sequence[Sequence[int]]
    seeds: tuple[int, ...]


@dataclass(frozen=True, eq=False)
class Chances:
    """Of each utterance, summed over its symbols: log p, log p by the frozen network, KL from that, and entropy."""

    log_p: torch.Tensor
    frozen: torch.Tensor
    kl: torch.Tensor
    entropy: torch.Tensor


def chances(net: Network, frozen: Network, acts: Acts, way: Way) -> Chances:
    """Exactly those of drawing at ``way``: what may not be said has none, and a reply that was cut off has no end."""
    rows = len(acts.said)
    sums = [torch.zeros(rows, dtype=net.words.weight.dtype) for _ in range(4)]
    for (at, logs, target), (_, old, _) in zip(_steps(net, acts, way), _steps(frozen, acts, way), strict=True):
        p = logs.exp()
        parts = (logs.gather(1, target)[:, 0], old.gather(1, target)[:, 0], (p * (logs - old)).sum(1), -(p * logs).sum(1))
        sums = [total.index_add(0, at, part) for total, part in zip(sums, parts, strict=True)]
    return Chances(*sums)


def _steps(net: Network, acts: Acts, way: Way) -> Iterator[tuple[torch.Tensor, torch.Tensor, torch.Tensor]]:
    """Step by step as when it was drawn: the utterances that go on, log p of all that may be said, and what was."""
    state, added = net.listen(Batch(acts.heard, np.arange(len(acts.said)), acts.seeds))
    wanted = [[*said, END][: way.limit] for said in acts.said]
    at, heard = torch.arange(len(wanted)), torch.full((len(wanted),), END)
    for step in range(max(map(len, wanted), default=0)):
        scores, state = net.speaker.step(net.words, heard, state, added)
        first = (
            max(UNKNOWN, END) + 1 if step < way.least else UNKNOWN + 1
        )  # UNKNOWN comes before END, and both before all words
        target = torch.tensor([wanted[row][step] for row in at.tolist()])
        yield at, torch.log_softmax(scores[:, first:] / way.temperature, dim=1), (target - first)[:, None]
        stays = torch.tensor([step + 1 < len(wanted[row]) for row in at.tolist()])
        at, heard, added = at[stays], target[stays], added[stays]
        state = tuple(part[stays] for part in state)


@dataclass(frozen=True)
class Weights:
    """β of the KL, η of the entropy, and whether an utterance is credited with the whole return or with the rest of it."""

    kl: float = 0.0
    entropy: float = 0.0
    credit: str = "return"


def credits(found: Chances, rewards: np.ndarray, weights: Weights) -> np.ndarray:
    """G (episodes, turns): what each utterance is credited with, before any baseline."""
    kl, entropy = (part.detach().double().numpy().reshape(rewards.shape) for part in (found.kl, found.entropy))
    gains = rewards - weights.kl * kl + weights.entropy * entropy
    if weights.credit == "rest":
        return np.ascontiguousarray(gains[:, ::-1].cumsum(axis=1)[:, ::-1])
    return np.repeat(gains.sum(axis=1, keepdims=True), gains.shape[1], axis=1)


def surrogate(found: Chances, advantages: np.ndarray, weights: Weights) -> torch.Tensor:
    """What is made small: its gradient is −∇J of the mean episode, estimated."""
    pull = torch.as_tensor(advantages.reshape(-1), dtype=found.log_p.dtype)
    gain = (pull * found.log_p).sum() - weights.kl * found.kl.sum() + weights.entropy * found.entropy.sum()
    return -gain / len(advantages)
