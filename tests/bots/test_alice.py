"""A.L.I.C.E. says what the package's own kernel says, and only the context matters."""

import random
import sys
import time
from collections import defaultdict
from concurrent.futures import ThreadPoolExecutor

import pytest

from dialometer.bots import alice
from dialometer.bots.alice import Alice
from dialometer.core.errors import MissingResource
from dialometer.core.types import Turn


def said(*texts):
    return tuple(Turn("ab"[(len(texts) - i) % 2], text) for i, text in enumerate(texts))


def reply(*texts, n=1, seed=0):
    return Alice().reply([said(*texts)], n=n, seed=[seed])[0]


QUESTIONS = [
    "Hello.", "What are you?", "Do you like tea?", "Who created you?", "Why is the sky blue?", "Who is he?", "Yes", "No",
    "I am sad.", "Tell me about yourself.", "What is the capital of France?", "What is 2 plus 2?", "Do you like it?", "Why",
    "I don't know", "He is my brother.", "My name is Bob.", "You are a robot, Alice", "Can we talk about music?", "Goodbye!",
]  # fmt: skip


@pytest.fixture(scope="module")
def package():
    """A kernel of the package as it comes, told who it is; only the rules in memory are shared, which take long to read."""
    import aiml

    kernel = aiml.Kernel()
    kernel.verbose(False)
    kernel._brain = alice._kernel()._brain
    kernel.setBotPredicate("name", "ALICE")
    kernel._botPredicates = defaultdict(lambda: alice.UNSAID, alice.PERSONA)
    kernel.respond(alice.UNTOLD, "talk")
    kernel.setPredicate("name", alice.PARTNER, "talk")
    return kernel


@pytest.mark.oracle
def test_equal_to_the_package(package, monkeypatch):
    """A conversation that the package's kernel lives through, and that we hear anew before each reply; both take first choices.

    Where the package has no reply, for its rules lead in circles, we have one all the same.
    """
    monkeypatch.setattr(random, "shuffle", lambda items: None)
    monkeypatch.setattr(alice.Random, "choice", lambda self, items: items[0])
    turns = []
    for question in QUESTIONS:
        theirs = " ".join(package.respond(question, "talk").split())
        ours = reply(*turns, question)
        assert ours == [theirs] or (not theirs and ours[0])
        turns += [question, theirs]
    assert len(set(turns[1::2])) > 12
    assert turns[turns.index("Who is he?") + 1] == "He is Dr. Richard S. Wallace."  # it was told a while before


def test_choices_are_drawn_from_the_seed():
    ten = reply("Tell me a joke", n=10)
    assert ten == reply("Tell me a joke", n=10)
    assert ten[:1] == reply("Tell me a joke")
    assert len(set(ten)) > 3
    assert len({reply("Tell me a joke", seed=seed)[0] for seed in range(20)}) > 5


def test_what_came_before_matters():
    """The rule MINE IS * after MY FAVORITE *, of that.aiml."""
    assert reply("What do you read?", "My favorite book is Emma.", "Mine is Dune.") == ["What makes it your favorite?"]
    assert reply("Mine is Dune.") != ["What makes it your favorite?"]
    long_ago = ["Hi.", "My favorite book is Emma.", *(["Go on.", "Yes."] * 30)]
    assert reply(*long_ago, "Mine is Dune.") == reply(*long_ago[-20:], "Mine is Dune.")


def test_conversations_leave_no_trace():
    before = reply("Who am I?", n=5)
    reply("My name is Bob.", "Hi Bob.", "I like tea.", n=3)
    assert reply("Who am I?", n=5) == before
    assert set(alice._kernel()._sessions) == {"_global"}


def test_random_state_clock_and_output_stay(capfd, monkeypatch):
    random.seed(4)
    before = random.getstate()
    monkeypatch.setattr(time, "asctime", lambda *_: "whatever the clock says")
    assert reply("What time is it?") == ["The time here is Mon Jan 1 12:00:00 2024"]
    assert random.getstate() == before
    assert capfd.readouterr() == ("", "")


def test_rules_may_not_run_commands_or_read_files(tmp_path):
    kernel = alice._kernel()
    for tag in ("system", "learn"):
        element = [tag, {}, ["text", {"xml:space": "preserve"}, f"touch {tmp_path / 'made'}"]]
        assert kernel._processElement(element, "talk") == ""
    assert list(tmp_path.iterdir()) == []


def test_there_is_always_something_to_say():
    assert Alice().reply([()], n=2) == [["Hi there!"] * 2]
    for text in (
        "",
        "...",
        "?!",
        "\x00",
        "我爱 👍🏽",
        "\ud800",
        "yes " * 500,
        "my " * 500,
        "a.b.c.d " * 500,
        "<b>&amp;</b>",
    ):
        assert all(reply(text, n=3))
        assert all(reply(text, text, "yes", n=3))


def test_names_tell_who_is_who():
    """Two turns of one person are one; where nobody is named, turns alternate."""
    named = (Turn("ann", "My name is Ann."), Turn("alice", "Hi."), Turn("ann", "Wait."), Turn("ann", "Do you like tea?"))
    assert list(alice._exchanges(named)) == [("My name is Ann.", "Hi."), ("Wait. Do you like tea?", "")]
    unnamed = tuple(Turn("", text) for text in ("Hi.", "Hello.", "Tea?"))
    assert list(alice._exchanges(unnamed)) == [("Hi.", "Hello."), ("Tea?", "")]


def test_threads_do_not_mix_conversations():
    contexts = [said(f"My name is Bob{i}.", "Hi.", "Tell me a joke") for i in range(12)]
    alone = [Alice().reply([context], n=3, seed=[i]) for i, context in enumerate(contexts)]
    with ThreadPoolExecutor(4) as pool:
        together = list(pool.map(lambda i: Alice().reply([contexts[i]], n=3, seed=[i]), range(12)))
    assert together == alone


def test_without_the_package_there_is_a_line_to_type(monkeypatch):
    alice._rules_digest.cache_clear()
    alice._kernel.cache_clear()
    monkeypatch.setitem(sys.modules, "aiml", None)
    for use in (lambda: Alice().recipe, lambda: reply("hello")):
        with pytest.raises(MissingResource) as error:
            use()
        assert error.value.hint == 'pip install "dialometer[bots]"'
