"""Replies and likelihoods of a trained network, for contexts that were made into symbols."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import torch

from dialometer.core.seeds import derived
from dialometer.nets.dialogue.data import Batch, Talks
from dialometer.nets.dialogue.decoding import Way, beams, speak
from dialometer.nets.dialogue.layers import State
from dialometer.nets.dialogue.likelihood import likelihoods
from dialometer.nets.dialogue.protocol import Network
from dialometer.nets.dialogue.subwords import Vocabulary
from dialometer.nets.threads import one_thread
from dialometer.nets.training.batches import WORD

DRAWS = 3  # the kind of draw: symbols, beside the latents' kinds


def replies(net: Network, vocabulary: Vocabulary, data: Talks, way: Way, n: int, seeds: Sequence[int]) -> list[list[str]]:
    """n texts for each conversation; either nothing was said in any of them, or something in each."""
    with one_thread(), torch.inference_mode():
        if way.decode == "sample" or (net.sizes.latent and n > 1):
            return _drawn(net, vocabulary, data, way, n, seeds)
        state, added = _heard(net, Batch(data, np.arange(len(data)), tuple(seeds)))
        if way.decode == "greedy" and n == 1:
            said = [[one] for one in speak(net.speaker, net.words, state, added, way)]
        else:
            width = max(n, way.beam if way.decode == "beam" else 1)
            said = beams(net.speaker, net.words, state, added, way, width)
    return [_filled([vocabulary.decode(one) for one in found], n) for found in said]


def _drawn(net: Network, vocabulary: Vocabulary, data: Talks, way: Way, n: int, seeds: Sequence[int]) -> list[list[str]]:
    """Each candidate has a seed of its own; the first keeps the context's."""
    own = [derived(seed, number) if number else seed for seed in seeds for number in range(n)]
    batch = Batch(data, np.repeat(np.arange(len(data)), n), tuple(own))
    state, added = _heard(net, batch)
    uniforms = None
    if way.decode == "sample":
        uniforms = np.stack([np.random.default_rng([seed % WORD, DRAWS]).random(way.limit) for seed in own])
    if way.decode == "beam":
        said = [found[0] for found in beams(net.speaker, net.words, state, added, way, way.beam)]
    else:
        said = speak(net.speaker, net.words, state, added, way, uniforms)
    texts = [vocabulary.decode(one) for one in said]
    return [texts[at : at + n] for at in range(0, len(texts), n)]


def _heard(net: Network, batch: Batch) -> tuple[State, torch.Tensor]:
    """What the speaker needs to go on with conversations in which something was said, or to open those in which nothing was."""
    return net.listen(batch) if batch.turns.any() else net.opening(batch)


def _filled(texts: list[str], n: int) -> list[str]:
    """Exactly n texts: a small vocabulary may have fewer utterances to offer, and then the last is said again."""
    return (texts + texts[-1:] * n)[:n]


def log_probabilities(net: Network, data: Talks, samples: int) -> tuple[np.ndarray, np.ndarray]:
    """log p of the last utterance of each conversation given the others, and its events.

    Where a latent spans the conversation, log p(all) − log p(all but the last) with an estimate of each.
    """
    ends = data.talks[1:] - 1
    found = likelihoods(net, data, samples=samples)
    if not net.ties_turns:
        return -found.estimate[ends], data.events[ends]
    whole, before = np.add.reduceat(found.estimate, data.talks[:-1]), np.zeros(len(data))
    longer = np.flatnonzero(np.diff(data.talks) > 1)
    if len(longer):
        shorter = _without_last(data.some(longer))
        before[longer] = np.add.reduceat(likelihoods(net, shorter, samples=samples).estimate, shorter.talks[:-1])
    return before - whole, data.events[ends]


def _without_last(data: Talks) -> Talks:
    """Every conversation but its last utterance."""
    kept = np.ones(len(data.starts) - 1, bool)
    kept[data.talks[1:] - 1] = False
    lengths = np.diff(data.starts)
    return Talks(
        data.flat[np.repeat(kept, lengths)],
        np.concatenate([[0], np.cumsum(lengths[kept])]),
        data.talks - np.arange(len(data.talks)),
        data.events[kept],
        None if data.facts is None else data.facts[kept],
    )
