"""Rollouts: whose turn it is, what was heard, and the same again."""

import pytest

pytest.importorskip("torch")

from dialometer.bots._policy.episode import Episode
from dialometer.bots._policy.reinforce import network_of
from dialometer.bots._policy.rollout import play
from dialometer.core.errors import BotError
from dialometer.core.registry import create
from dialometer.core.types import Turn
from dialometer.nets.dialogue.decoding import DecodingOptions
from tests.bots._policy.small import OPENERS, trained
from tests.bots.talkers import Talker

WAY = DecodingOptions("sample", limit=5, least=1)


@pytest.fixture(scope="module")
def bot():
    return trained()


def test_with_itself(bot):
    episodes, rollouts = play(bot, network_of(bot), OPENERS[:3], WAY, turns=4, partner=None, seed=7)
    assert [len(one.said) for one in episodes] == [4, 4, 4]
    assert len(rollouts.utterances) == len(rollouts.contexts) == len(set(rollouts.seeds)) == 12
    texts = [bot.learnt.vocabulary.decode(symbols) for symbols in rollouts.utterances]
    assert texts == [text for one in episodes for text in one.said]
    heard = bot.data([[*OPENERS[1], *episodes[1].said[:2]]])
    assert rollouts.contexts.flat[
        rollouts.contexts.starts[rollouts.contexts.talks[6]] : rollouts.contexts.starts[rollouts.contexts.talks[7]]
    ].tolist() == (heard.flat.tolist()), "the third turn of the second episode"
    again, _ = play(bot, network_of(bot), OPENERS[:3], WAY, turns=4, partner=None, seed=7)
    assert again == episodes
    alone, _ = play(bot, network_of(bot), OPENERS[:1], WAY, turns=4, partner=None, seed=7)
    assert alone == episodes[:1], "company changes nothing"
    assert play(bot, network_of(bot), OPENERS[:3], WAY, turns=4, partner=None, seed=8)[0] != episodes


def test_with_a_partner(bot):
    partner = create("bot", 'constant(text="and you")')
    episodes, rollouts = play(bot, network_of(bot), OPENERS[:2], WAY, turns=5, partner=partner, seed=7)
    assert [one.said[1::2] for one in episodes] == [("and you", "and you")] * 2
    assert [one.own for one in episodes] == [[0, 2, 4]] * 2
    assert len(rollouts.utterances) == 6


def test_a_partner_that_fails(bot):
    with pytest.raises(BotError, match="partner could not answer"):
        play(bot, network_of(bot), [("moon",)], WAY, turns=2, partner=Talker(deaf=2), seed=0)


def test_who_said_what():
    one = Episode(("hi", "hello"), ("tea ?", "yes"))
    assert one.context(1) == (Turn("a", "hi"), Turn("b", "hello"), Turn("a", "tea ?"))
