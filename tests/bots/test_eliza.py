"""Eliza says what NLTK's Eliza says when both choose the same of a rule's replies."""

import random
import sys

import pytest

from dialometer.bots import eliza
from dialometer.bots.eliza import Eliza
from dialometer.core.errors import MissingResource
from dialometer.core.types import Turn
from dialometer.data import examples


def reply(text, n=1, seed=0):
    return Eliza().reply([(Turn("a", text),)], n=n, seed=[seed])[0]


@pytest.fixture
def rules():
    eliza._rules.cache_clear()
    yield
    eliza._rules.cache_clear()


def nltk_replies(text, monkeypatch):
    """All that NLTK's own chat may say to a text: its draw is made to take each reply of the rule in turn."""
    from nltk.chat.eliza import eliza_chatbot

    found, sizes = [], [1]
    monkeypatch.setattr(random, "choice", lambda replies: (sizes.append(len(replies)), replies[len(found)])[1])
    while len(found) < sizes[-1]:
        found.append(eliza_chatbot.respond(text))
    return found


BY_HAND = [
    ("I need tea .", "Why do you need tea?"),
    ("I need my mother!!", "Why do you need your mother?"),
    ("Are you my friend ?", "Why does it matter whether I am your friend ?"),
    ("Hello", "Hello... I'm glad you could drop by today."),
]


@pytest.mark.parametrize(("text", "wanted"), BY_HAND)
def test_a_rule_by_hand(text, wanted):
    assert wanted in reply(text, n=10)


@pytest.mark.oracle
def test_equal_to_nltk_on_real_turns(shared_data, monkeypatch):
    """The replies of the first rule that fits, as a set: 300 turns of people."""
    path = shared_data("turns/fed_turn.jsonl.gz")
    turns = [turn.text for example in examples([str(path)]) for turn in example.context if "%" not in turn.text]
    seen = 0
    for text in list(dict.fromkeys(turns))[:300]:
        said = " ".join(text.split()[: eliza.WORDS]).rstrip("!. ")
        wanted = nltk_replies(said, monkeypatch)
        assert sorted(reply(text, n=len(wanted), seed=seen)) == sorted(wanted)
        seen += 1
    assert seen == 300


def test_a_percent_sign_is_only_a_sign():
    """NLTK's own substitution raises here: it takes the sign for a place to fill."""
    assert "Why do you need 50% off?" in reply("I need 50% off", n=3)


def test_further_replies_are_different_ones_and_come_from_the_next_rule():
    many = reply("I need tea", n=13)
    assert set(many[:3]) == {"Why do you need tea?", "Would it really help you to get tea?", "Are you sure you need tea?"}
    assert "Please tell me more." in many[3:]
    assert len(set(many)) == 13
    assert reply("I need tea", n=20)[13:] == many[:7]


def test_the_first_reply_is_drawn_evenly():
    firsts = [reply("I need tea", seed=seed)[0] for seed in range(900)]
    assert all(250 < firsts.count(text) < 350 for text in set(firsts))
    assert len(set(firsts)) == 3


def test_the_random_state_of_the_process_stays():
    random.seed(4)
    before = random.getstate()
    reply("hello")
    assert random.getstate() == before


def test_nothing_said_and_odd_texts():
    assert Eliza().reply([()], n=2) == [["Hello. How are you feeling today?"] * 2]
    for text in ("", "...", "\x00", "我爱 👍🏽", "I need\nnew lines", "\ud800", "%1 %9 \\1"):
        assert all(isinstance(said, str) and said for said in reply(text, n=5))


def test_a_page_is_not_repeated_whole():
    assert max(map(len, reply("I need " + "more " * 50_000, n=20))) < 1000


def test_without_nltk_there_is_a_line_to_type(rules, monkeypatch):
    monkeypatch.setitem(sys.modules, "nltk.chat.eliza", None)
    with pytest.raises(MissingResource) as error:
        reply("hello")
    assert error.value.hint == 'pip install "dialometer[bots]"'
