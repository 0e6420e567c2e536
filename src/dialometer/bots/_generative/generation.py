"""Replies and likelihoods of a trained network for encoded contexts."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import torch

from dialometer.core.seeds import derived
from dialometer.nets.dialogue.data import Batch, EncodedDialogues
from dialometer.nets.dialogue.decoding import DecodingOptions, beam_search, generate
from dialometer.nets.dialogue.layers import State
from dialometer.nets.dialogue.likelihood import likelihoods
from dialometer.nets.dialogue.protocol import Network
from dialometer.nets.dialogue.subwords import Vocabulary
from dialometer.nets.threads import one_thread
from dialometer.nets.training.batches import WORD

DRAWS = 3  # part of the seed: draws of symbols, beside those of latents


def replies(
    net: Network, vocabulary: Vocabulary, data: EncodedDialogues, options: DecodingOptions, n: int, seeds: Sequence[int]
) -> list[list[str]]:
    """n texts for each dialogue; either all dialogues are empty, or none is."""
    with one_thread(), torch.inference_mode():
        if options.decode == "sample" or (net.sizes.latent and n > 1):
            return _sampled_replies(net, vocabulary, data, options, n, seeds)
        state, added = _first_state(net, Batch(data, np.arange(len(data)), tuple(seeds)))
        if options.decode == "greedy" and n == 1:
            utterances = [[one] for one in generate(net.speaker, net.words, state, added, options)]
        else:
            width = max(n, options.beam if options.decode == "beam" else 1)
            utterances = beam_search(net.speaker, net.words, state, added, options, width)
    return [_repeat_last([vocabulary.decode(one) for one in candidates], n) for candidates in utterances]


def _sampled_replies(
    net: Network, vocabulary: Vocabulary, data: EncodedDialogues, options: DecodingOptions, n: int, seeds: Sequence[int]
) -> list[list[str]]:
    """Each candidate has a seed of its candidate_seeds; the first keeps the context's."""
    candidate_seeds = [derived(seed, number) if number else seed for seed in seeds for number in range(n)]
    batch = Batch(data, np.repeat(np.arange(len(data)), n), tuple(candidate_seeds))
    state, added = _first_state(net, batch)
    uniforms = None
    if options.decode == "sample":
        uniforms = np.stack([np.random.default_rng([seed % WORD, DRAWS]).random(options.limit) for seed in candidate_seeds])
    if options.decode == "beam":
        utterances = [best[0] for best in beam_search(net.speaker, net.words, state, added, options, options.beam)]
    else:
        utterances = generate(net.speaker, net.words, state, added, options, uniforms)
    texts = [vocabulary.decode(one) for one in utterances]
    return [texts[at : at + n] for at in range(0, len(texts), n)]


def _first_state(net: Network, batch: Batch) -> tuple[State, torch.Tensor]:
    """The first state of the decoder for the next utterance, or for the first one of empty dialogues."""
    return net.decoder_state(batch) if batch.turns.any() else net.opening_state(batch)


def _repeat_last(texts: list[str], n: int) -> list[str]:
    """Exactly n texts: a small vocabulary may have fewer utterances, and then the last is repeated."""
    return (texts + texts[-1:] * n)[:n]


def log_probabilities(net: Network, data: EncodedDialogues, samples: int) -> tuple[np.ndarray, np.ndarray]:
    """log p of the last utterance of each conversation given the others, and its events.

    Where a latent spans the conversation, log p(all) − log p(all but the last) with an estimate of each.
    """
    ends = data.talks[1:] - 1
    values = likelihoods(net, data, samples=samples)
    if not net.ties_turns:
        return -values.estimate[ends], data.events[ends]
    whole, before = np.add.reduceat(values.estimate, data.talks[:-1]), np.zeros(len(data))
    longer = np.flatnonzero(np.diff(data.talks) > 1)
    if len(longer):
        shorter = _without_last(data.some(longer))
        before[longer] = np.add.reduceat(likelihoods(net, shorter, samples=samples).estimate, shorter.talks[:-1])
    return before - whole, data.events[ends]


def _without_last(data: EncodedDialogues) -> EncodedDialogues:
    """Every conversation but its last utterance."""
    kept = np.ones(len(data.starts) - 1, bool)
    kept[data.talks[1:] - 1] = False
    lengths = np.diff(data.starts)
    return EncodedDialogues(
        data.flat[np.repeat(kept, lengths)],
        np.concatenate([[0], np.cumsum(lengths[kept])]),
        data.talks - np.arange(len(data.talks)),
        data.events[kept],
        None if data.facts is None else data.facts[kept],
    )
