"""Rollouts: dialogues sampled from a network, many at a time, with all that the probability of the utterances depends on."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import torch

from dialometer.bots._generative.base import WINDOW
from dialometer.bots._generative.generation import DRAWS
from dialometer.bots._policy.episode import Episode
from dialometer.bots._shared.ask import ask
from dialometer.core.errors import BotError
from dialometer.core.protocols import Bot
from dialometer.core.seeds import derived
from dialometer.nets.dialogue.data import Batch, EncodedDialogues
from dialometer.nets.dialogue.decoding import DecodingOptions, generate
from dialometer.nets.dialogue.policy import Rollouts
from dialometer.nets.dialogue.protocol import Network
from dialometer.nets.threads import one_thread
from dialometer.nets.training.batches import WORD


def play(
    bot: Any,
    net: Network,
    openers: Sequence[tuple[str, ...]],
    options: DecodingOptions,
    *,
    turns: int,
    partner: Bot | None,
    seed: int,
) -> tuple[list[Episode], Rollouts]:
    """A dialogue from each opener, the learner first; the learner's utterances come episode by episode.

    Utterances are decoded to text and encoded again for the learner too, as when the bot is used.
    """
    net.eval()
    episodes = [Episode(opener, every=1 if partner is None else 2) for opener in openers]
    sampled: list[list[list[int]]] = [[] for _ in openers]
    seeds: list[list[int]] = [[] for _ in openers]
    for turn in range(turns):
        mine = [derived(seed, number, turn) for number in range(len(openers))]
        if partner is not None and turn % 2:
            texts = _partner_replies(partner, episodes, turn, mine)
        else:
            drawn = sample_utterances(net, _encoded(bot, [_before(one, turn) for one in episodes]), options, mine)
            texts = [bot.fitted_state().vocabulary.decode(symbols) for symbols in drawn]
            for number, symbols in enumerate(drawn):
                sampled[number].append(symbols)
                seeds[number].append(mine[number])
        episodes = [replace(one, said=(*one.said, text)) for one, text in zip(episodes, texts, strict=True)]
    contexts = _encoded(bot, [_before(one, turn) for one in episodes for turn in one.own])
    return episodes, Rollouts(
        contexts, [one for talk in sampled for one in talk], tuple(one for talk in seeds for one in talk)
    )


def sample_utterances(
    net: Network, contexts: EncodedDialogues, options: DecodingOptions, seeds: Sequence[int]
) -> list[list[int]]:
    """An utterance for each dialogue, sampled with its own seed."""
    uniforms = np.stack([np.random.default_rng([seed % WORD, DRAWS]).random(options.limit) for seed in seeds])
    with one_thread(), torch.inference_mode():
        state, added = net.decoder_state(Batch(contexts, np.arange(len(contexts)), tuple(seeds)))
        return generate(net.speaker, net.words, state, added, options, uniforms)


def _before(one: Episode, turn: int) -> list[str]:
    return [*one.opener, *one.said[:turn]][-WINDOW:] or [""]


def _encoded(bot: Any, dialogues: Sequence[Sequence[str]]) -> EncodedDialogues:
    data: EncodedDialogues = bot.data(dialogues).shortened(bot.longest)
    return data


def _partner_replies(partner: Bot, episodes: Sequence[Episode], turn: int, seeds: Sequence[int]) -> list[str]:
    answers = ask(partner, [one.context(turn) for one in episodes], seed=seeds)
    for answer in answers:
        if answer.error:
            raise BotError(
                f"the partner could not answer: {answer.error}", "another --partner, or none to talk with itself"
            )
    return [answer.replies[0] for answer in answers]
