"""Rollouts: conversations drawn from a network, many at a time, with all that its probability of saying so depends on."""

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
from dialometer.nets.dialogue.data import Batch, Talks
from dialometer.nets.dialogue.decoding import Way, speak
from dialometer.nets.dialogue.policy import Acts
from dialometer.nets.dialogue.protocol import Network
from dialometer.nets.threads import one_thread
from dialometer.nets.training.batches import WORD


def play(
    bot: Any, net: Network, openers: Sequence[tuple[str, ...]], way: Way, *, turns: int, partner: Bot | None, seed: int
) -> tuple[list[Episode], Acts]:
    """A conversation from each opener, the learner first; its own utterances come episode by episode.

    What was said is heard as text, by the learner too: as it will be when it talks with somebody.
    """
    net.eval()
    episodes = [Episode(opener, every=1 if partner is None else 2) for opener in openers]
    said: list[list[list[int]]] = [[] for _ in openers]
    seeds: list[list[int]] = [[] for _ in openers]
    for turn in range(turns):
        mine = [derived(seed, number, turn) for number in range(len(openers))]
        if partner is not None and turn % 2:
            texts = _answers(partner, episodes, turn, mine)
        else:
            drawn = say(net, _heard(bot, [_before(one, turn) for one in episodes]), way, mine)
            texts = [bot.learnt.vocabulary.decode(symbols) for symbols in drawn]
            for number, symbols in enumerate(drawn):
                said[number].append(symbols)
                seeds[number].append(mine[number])
        episodes = [replace(one, said=(*one.said, text)) for one, text in zip(episodes, texts, strict=True)]
    heard = _heard(bot, [_before(one, turn) for one in episodes for turn in one.own])
    return episodes, Acts(heard, [one for talk in said for one in talk], tuple(one for talk in seeds for one in talk))


def say(net: Network, heard: Talks, way: Way, seeds: Sequence[int]) -> list[list[int]]:
    """An utterance for each conversation, drawn from its own stream."""
    uniforms = np.stack([np.random.default_rng([seed % WORD, DRAWS]).random(way.limit) for seed in seeds])
    with one_thread(), torch.inference_mode():
        state, added = net.listen(Batch(heard, np.arange(len(heard)), tuple(seeds)))
        return speak(net.speaker, net.words, state, added, way, uniforms)


def _before(one: Episode, turn: int) -> list[str]:
    return [*one.opener, *one.said[:turn]][-WINDOW:] or [""]


def _heard(bot: Any, talks: Sequence[Sequence[str]]) -> Talks:
    heard: Talks = bot.data(talks).shortened(bot.longest)
    return heard


def _answers(partner: Bot, episodes: Sequence[Episode], turn: int, seeds: Sequence[int]) -> list[str]:
    answers = ask(partner, [one.context(turn) for one in episodes], seed=seeds)
    for answer in answers:
        if answer.error:
            raise BotError(
                f"the partner could not answer: {answer.error}", "another --partner, or none to talk with itself"
            )
    return [answer.replies[0] for answer in answers]
