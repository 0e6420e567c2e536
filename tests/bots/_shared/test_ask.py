"""Asking bots that misbehave: nothing is lost, and a failure costs its own context alone."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dialometer.bots._shared.ask import LONGEST, Answer, ask, clean
from dialometer.bots.parrot import Parrot
from dialometer.core.errors import BotError, NeedsError, PartlyFailed
from dialometer.core.seeds import seeds_for
from dialometer.core.types import Turn

TEXTS = ("tea ?", "milk ?", "sugar ?")
CONTEXTS = [(Turn("a", text),) for text in TEXTS]


class Bot:
    """A bot whose ``reply`` is the given function of (contexts, n, seeds); calls are kept."""

    name, version, recipe = "guest", 1, "guest-1"

    def __init__(self, function):
        self.function, self.calls = function, []

    def reply(self, contexts, *, n=1, seed=0):
        self.calls.append(([context[-1].text for context in contexts], n, list(seed)))
        return self.function([context[-1].text for context in contexts], n, list(seed))


def echo(texts, n, seeds):
    return [[f"{text} {k}" for k in range(n)] for text in texts]


def test_a_good_bot_is_asked_once():
    bot = Bot(echo)
    answers = ask(bot, CONTEXTS, n=2, seed=7)
    assert answers == [Answer((f"{text} 0", f"{text} 1")) for text in TEXTS]
    assert bot.calls == [(list(TEXTS), 2, seeds_for(7, CONTEXTS))]


def test_nobody_is_asked_about_nothing():
    bot = Bot(echo)
    assert ask(bot, []) == []
    assert bot.calls == []


def test_one_context_that_makes_a_bot_raise_costs_itself_alone():
    def reply(texts, n, seeds):
        if "milk ?" in texts:
            raise ZeroDivisionError("no milk")
        return echo(texts, n, seeds)

    bot = Bot(reply)
    first, second, third = ask(bot, CONTEXTS, seed=[1, 2, 3])
    assert (first, third) == (Answer(("tea ? 0",)), Answer(("sugar ? 0",)))
    assert second == Answer(error="guest failed: ZeroDivisionError: no milk")
    assert bot.calls[1:] == [([text], 1, [seed]) for text, seed in zip(TEXTS, (1, 2, 3), strict=True)]


def test_a_context_that_is_tried_alone_keeps_its_seed():
    """The seed of a context that comes twice counts its place among all; alone it would be another."""

    def reply(texts, n, seeds):
        if len(texts) > 1:
            raise RuntimeError
        return [[str(seeds[0])]]

    twice = [CONTEXTS[0], CONTEXTS[0]]
    assert [answer.replies for answer in ask(Bot(reply), twice, seed=5)] == [(str(s),) for s in seeds_for(5, twice)]


@pytest.mark.parametrize(
    ("given", "reason"),
    [
        (None, "guest gave NoneType where a list of replies per context was asked for"),
        ("abc", "guest gave str where a list of replies per context was asked for"),
        ({0: ["a"]}, "guest gave dict where"),
        ([], "guest answered 0 of 1 contexts"),
        ([["a"], ["b"]], "guest answered 2 of 1 contexts"),
        ([None], "guest gave something that is not a list of texts"),
        (["a text"], "guest gave something that is not a list of texts"),
        ([["a", None]], "guest gave something that is not a list of texts"),
        ([[b"a", b"b"]], "guest gave something that is not a list of texts"),
        ([[]], "guest gave 0 replies where 2 were asked for"),
        ([["a"]], "guest gave 1 replies where 2 were asked for"),
    ],
)
def test_what_is_not_n_texts_is_refused_with_a_sentence(given, reason):
    (answer,) = ask(Bot(lambda texts, n, seeds: given), CONTEXTS[:1], n=2)
    assert answer.replies == ()
    assert answer.error.startswith(reason)


def test_too_few_lists_are_asked_for_one_by_one():
    answers = ask(Bot(lambda texts, n, seeds: echo(texts[:1], n, seeds)), CONTEXTS)
    assert answers == [Answer((f"{text} 0",)) for text in TEXTS]


def test_too_many_replies_are_cut_and_tuples_are_as_good_as_lists():
    assert (
        ask(Bot(lambda texts, n, seeds: tuple(("a", "b", "c") for _ in texts)), CONTEXTS[:2], n=2)
        == [Answer(("a", "b"))] * 2
    )


def test_too_few_replies_to_one_context_leave_the_others():
    def reply(texts, n, seeds):
        return [["x"] * (1 if text == "milk ?" else n) for text in texts]

    bot = Bot(reply)
    answers = ask(bot, CONTEXTS, n=2)
    assert [answer.error for answer in answers] == ["", "guest gave 1 replies where 2 were asked for", ""]
    assert len(bot.calls) == 1


def failing(replies, reasons):
    def reply(texts, n, seeds):
        raise PartlyFailed(replies, reasons)

    return Bot(reply)


def test_what_a_bot_said_before_it_failed_is_kept_and_it_is_not_asked_again():
    bot = failing([["yes"], None, ["n\x00o"]], {1: "the line was busy"})
    assert ask(bot, CONTEXTS) == [Answer(("yes",)), Answer(error="the line was busy"), Answer(("no",), cleaned=1)]
    assert len(bot.calls) == 1


def test_a_failure_in_part_without_a_reason_or_with_bad_replies():
    first, second, third = ask(failing([None, None, [1]], {0: "busy"}), CONTEXTS)
    assert first.error == "busy"
    assert second.error == "guest gave no reply and no reason"
    assert third.error == "guest gave something that is not a list of texts"


def test_a_failure_in_part_of_the_wrong_size_is_a_failure_of_all():
    answers = ask(failing([None], {0: "busy"}), CONTEXTS)
    assert [answer.error for answer in answers] == ["busy"] * 3
    (answer,) = ask(failing([None, None], {0: "busy"}), CONTEXTS[:1])
    assert answer.error == "1 of 2 contexts got no reply; the first: busy"


@pytest.mark.parametrize(
    "error", [BotError("the endpoint is down", "try later"), NeedsError("it is not fitted", "train it")]
)
def test_errors_of_the_house_speak_for_themselves(error):
    def reply(texts, n, seeds):
        raise error

    assert ask(Bot(reply), CONTEXTS[:1]) == [Answer(error=error.message)]


def test_a_bot_that_calls_exit_fails_like_any_other():
    """Raised on, it would end the whole command without a word and with exit code 0."""

    def reply(texts, n, seeds):
        if "milk ?" in texts:
            raise SystemExit(3)
        return echo(texts, n, seeds)

    first, second, third = ask(Bot(reply), CONTEXTS)
    assert second == Answer(error="guest failed: SystemExit: 3")
    assert first.replies
    assert third.replies


@pytest.mark.parametrize("error", [RuntimeError, BotError, lambda text: PartlyFailed([None], {0: text})])
def test_reasons_are_one_line_that_a_terminal_can_show(error):
    def reply(texts, n, seeds):
        raise error("two\nlines \x1b[31mred\x1b[0m \ud800 " + "x" * 10_000)

    (answer,) = ask(Bot(reply), CONTEXTS[:1])
    assert answer.error.startswith(
        "guest failed: RuntimeError: two lines red x" if error is RuntimeError else "two lines red x"
    )
    assert answer.error.isprintable()
    assert len(answer.error) == LONGEST + 1


def test_an_interrupt_goes_through():
    def reply(texts, n, seeds):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        ask(Bot(reply), CONTEXTS)


@pytest.mark.parametrize(
    ("said", "kept"),
    [
        ("", ""),
        ("  hi  ", "hi"),
        ("<b>hi</b> &amp; *you*", "<b>hi</b> &amp; *you*"),
        ("two\nlines\tand\r\nmore", "two\nlines\tand\r\nmore"),
        ("a\x00b\x7f\x9bc", "abc"),
        ("page\x0cbreak\x0bhere", "page break here"),
        ("\x1b[1;31mred\x1b[0m", "red"),
        ("\x1b]0;title\x07text", "text"),
        ("\x1bM odd", "M odd"),
        ("\u202eevil\u202c \u2066x\u2069", "evil x"),
        ("\ufeffmark \u200bspace", "mark space"),
        ("half \ud83d pair", "half  pair"),
        ("👩‍💻 👍🏽 ❤️", "👩‍💻 👍🏽 ❤️"),
        ("می‌خواهم", "می‌خواهم"),
        ("naïve 我爱", "naïve 我爱"),
    ],
)
def test_clean(said, kept):
    assert clean(said) == kept


@given(st.text(st.characters(categories=["L", "N", "P", "S", "M", "Cc", "Cf", "Cs", "Zs"]), max_size=40))
def test_cleaned_text_is_text_and_stays_as_it_is(text):
    once = clean(text)
    once.encode()
    assert not any(c < " " and c not in "\t\n\r" for c in once)
    assert clean(once) == once


def test_replies_with_control_characters_are_counted():
    (answer,) = ask(Bot(lambda texts, n, seeds: [["fine ", "b\x00ell", "\x1c x", "👩‍💻"]]), CONTEXTS[:1], n=4)
    assert answer == Answer(("fine", "bell", "x", "👩‍💻"), cleaned=2)


def test_an_empty_reply_is_an_answer():
    assert ask(Bot(lambda texts, n, seeds: [["", " "]]), CONTEXTS[:1], n=2) == [Answer(("", ""))]


def test_a_bot_of_the_house():
    assert ask(Parrot(), CONTEXTS, n=2) == [Answer((text, text)) for text in TEXTS]
