"""Roles of turns, by hand; contexts made shorter keep their end."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dialometer.bots._shared.messages import OPENING, cut, halved, messages, roles, sendable
from dialometer.core.types import Turn


def talk(*pairs):
    return tuple(Turn(*pair.split(":", 1)) for pair in pairs)


@pytest.mark.parametrize(
    ("context", "wanted"),
    [
        (("a:1", "b:2", "a:3"), "user assistant user"),
        (("a:1", "b:2"), "assistant user"),
        (("a:1", "b:2", "c:3"), "assistant assistant user"),
        (("user:1", "assistant:2", "user:3"), "user assistant user"),
        (("Human:1", "Bot:2", "human:3"), "user assistant user"),
        (("human:1", "bot:2", "eve:3"), "user assistant user"),
        (("user:1", "assistant:2"), "assistant user"),
        (("bot:1", "model:2"), "assistant user"),
        (("system:0", "user:1", "assistant:2", "user:3"), "system user assistant user"),
        (("system:0", "user:1", "assistant:2"), "system assistant user"),
        (("user:1", "system:2", "user:3"), "user assistant user"),
        (("system:1", "user:2", "system:3", "user:4"), "assistant user assistant user"),
        (("user:1", "system:2"), "assistant user"),
        ((":1", ":2", ":3", ":4"), "assistant user assistant user"),
        (("ann:1", "ann:2"), "user user"),
        ((), ""),
    ],
    ids=str,
)
def test_roles(context, wanted):
    assert roles(talk(*context)) == wanted.split()


def test_messages_end_with_the_user_and_merge_neighbours():
    made = messages(talk("a:one", "a:two", "b:three", "c:four", "a:five"), "Be kind.")
    assert made == [
        {"role": "system", "content": "Be kind."},
        {"role": "user", "content": "one\ntwo"},
        {"role": "assistant", "content": "three\nfour"},
        {"role": "user", "content": "five"},
    ]


def test_instructions_of_both_kinds_become_one():
    assert messages(talk("system:Be brief.", "user:hi"), "Be kind.")[0] == {
        "role": "system",
        "content": "Be kind.\nBe brief.",
    }


def test_where_nobody_spoke_the_bot_is_asked_to_begin():
    assert messages(()) == [{"role": "user", "content": OPENING}]
    assert [m["role"] for m in messages(talk("system:Be brief."))] == ["system", "user"]


@given(st.lists(st.tuples(st.sampled_from(["", "a", "user", "bot", "system", "Model"]), st.text(max_size=3)), max_size=8))
def test_any_conversation_ends_with_the_user_and_alternates(pairs):
    made = messages(tuple(Turn(*pair) for pair in pairs))
    found = [message["role"] for message in made]
    assert found[-1] == "user"
    assert all(one != two for one, two in zip(found, found[1:], strict=False))


def test_the_oldest_turns_leave_first():
    context = talk("a:12345", "b:678", "a:90")
    assert cut(context) == context
    assert cut(context, turns=2) == context[1:]
    assert cut(context, characters=10) == context
    assert cut(context, characters=9) == context[1:]
    assert cut(context, characters=4) == context[2:]
    assert cut(context, turns=3, characters=1) == talk("a:0")
    assert cut((), turns=2, characters=3) == ()


def test_halves_keep_the_end_until_nothing_can_go():
    context, sizes = talk("a:1", "b:2", "a:3", "b:4", "a:abcdef"), []
    while context is not None:
        sizes.append((len(context), len(context[-1].text)))
        context = halved(context)
    assert sizes == [(5, 6), (3, 6), (2, 6), (1, 6), (1, 3), (1, 2), (1, 1)]
    assert halved(()) is None


def test_broken_surrogates_do_not_break_the_wire():
    assert sendable("tea \ud83d 👍") == "tea ? 👍"
