"""The turn loop: exact counts, sides and seeds, one call per bot and turn, failures that cost their own conversation."""

import pytest

from dialometer.bots._shared.converse import Start, converse
from dialometer.bots.parrot import Parrot
from dialometer.core.seeds import derived
from tests.bots.talkers import Talker


class Recorder:
    """A bot that notes what it is asked, and says who it is and how many turns it saw."""

    version, recipe = 1, "recorder"

    def __init__(self, name="r"):
        self.name, self.calls = name, []

    def reply(self, contexts, *, n=1, seed=0):
        self.calls.append((list(contexts), list(seed)))
        return [[f"{self.name}{len(context)}"] * n for context in contexts]


def starts(n, a, b=None, opener=("hello",), **options):
    return [Start(f"c{i}", opener, a, b or a, **options) for i in range(n)]


@pytest.mark.parametrize("turns", [1, 2, 7])
@pytest.mark.parametrize("opener", [("hi",), ("hi", "yes?", "so"), ()])
def test_exactly_so_many_turns_after_the_opener(turns, opener):
    for talk in converse(starts(3, Recorder(), opener=opener), turns=turns):
        assert len(talk.turns) == len(opener) + turns
        assert talk.said == turns
        assert [turn.text for turn in talk.turns[: len(opener)]] == list(opener)
        assert talk.error == ""
        speakers = [turn.speaker for turn in talk.turns]
        assert speakers[len(opener)] == "a"
        assert all(left != right for left, right in zip(speakers, speakers[1:], strict=False))


def test_either_side_may_begin():
    a, b = Recorder("a"), Recorder("b")
    (talk,) = converse(starts(1, a, b, first="b"), turns=4)
    assert [turn.speaker for turn in talk.turns] == ["a", "b", "a", "b", "a"]
    assert [turn.text for turn in talk.turns[1:]] == ["b1", "a2", "b3", "a4"]


def test_one_call_a_turn_for_all_that_wait_for_the_same_bot():
    bot = Recorder()
    converse(starts(5, bot), turns=4)
    assert [len(contexts) for contexts, _ in bot.calls] == [5] * 4
    a, b = Recorder(), Recorder()
    mixed = [Start(f"c{i}", ("x",), a, b, first="ab"[i % 2]) for i in range(5)]
    converse(mixed, turns=4)
    assert [len(contexts) for contexts, _ in a.calls] == [3, 2, 3, 2]
    assert [len(contexts) for contexts, _ in b.calls] == [2, 3, 2, 3]


def test_every_conversation_side_and_turn_has_a_seed_of_its_own():
    bot = Recorder()
    converse(starts(4, bot), turns=6, seed=9)
    seeds = [seed for _, given in bot.calls for seed in given]
    assert len(set(seeds)) == 24
    assert bot.calls[0][1][2] == derived(derived(9, "c2", "a"), 0)
    assert bot.calls[3][1][1] == derived(derived(9, "c1", "b"), 3)
    other = Recorder()
    converse(starts(4, other), turns=6, seed=10)
    assert not set(seeds) & {seed for _, given in other.calls for seed in given}


def test_company_changes_nothing():
    bot = Talker()
    together = converse(starts(8, bot), turns=5, seed=1)
    alone = [converse([start], turns=5, seed=1)[0] for start in starts(8, bot)]
    assert [talk.turns for talk in together] == [talk.turns for talk in alone]
    assert len({talk.turns[1].text for talk in together}) > 1  # one opener, and seeds of their own


@pytest.mark.parametrize("fault", ["raises", "refuses"])
def test_a_failure_costs_its_own_conversation_alone(fault):
    bot = Talker(**{fault: "moon"})
    played = converse(starts(30, bot), turns=6, seed=2)
    fine = converse(starts(30, Talker()), turns=6, seed=2)
    stopped = 0
    for talk, whole in zip(played, fine, strict=True):
        texts = [turn.text for turn in whole.turns]
        last = next((i for i, text in enumerate(texts[:-1]) if "moon" in text), None)
        if last is None:
            assert (talk.turns, talk.error) == (whole.turns, "")
        else:
            stopped += 1
            assert [turn.text for turn in talk.turns] == texts[: last + 1]
            assert talk.said == last
            assert "moon" in talk.error
            assert "\n" not in talk.error
    assert 3 < stopped < 30


def test_a_bot_that_gives_too_few_replies_stops_where_it_does():
    for talk in converse(starts(4, Talker(mute=True)), turns=5):
        assert talk.said == 1
        assert talk.error == "talker gave 0 replies where 1 were asked for"


def test_all_conversations_may_stop():
    asked = []
    talks = converse(starts(3, Talker(deaf=2)), turns=50, keep=lambda number, step: asked.append(len(step)))
    assert asked == [3, 3]
    assert all(talk.said == 1 and talk.error for talk in talks)


def test_control_characters_are_taken_out_and_counted():
    for talk in converse(starts(2, Talker(dirty=True)), turns=3, seed=4):
        assert talk.cleaned == 3
        assert all(turn.text.isprintable() and turn.text.split() for turn in talk.turns)
    clean = converse(starts(2, Talker()), turns=3, seed=4)
    assert [t.turns for t in clean] == [t.turns for t in converse(starts(2, Talker(dirty=True)), turns=3, seed=4)]


def test_an_empty_reply_is_a_turn():
    class Silent(Recorder):
        def reply(self, contexts, *, n=1, seed=0):
            return [[""] * n for _ in contexts]

    (talk,) = converse(starts(1, Silent()), turns=4)
    assert [turn.text for turn in talk.turns] == ["hello", "", "", "", ""]
    assert talk.error == ""


@pytest.mark.parametrize("known", range(7))
def test_kept_steps_are_not_asked_again_and_end_the_same(known):
    bot = Talker(refuses="moon")
    steps = []
    whole = converse(starts(12, bot), turns=6, seed=3, keep=lambda number, step: steps.append((number, step)))
    assert [number for number, _ in steps] == list(range(6))
    asked = []
    again = converse(
        starts(12, bot), turns=6, seed=3, told=[step for _, step in steps[:known]], keep=lambda n, s: asked.append((n, s))
    )
    assert asked == steps[known:]
    assert [(talk.turns, talk.error) for talk in again] == [(talk.turns, talk.error) for talk in whole]


def test_the_parrot_says_the_opener_for_ever():
    (talk,) = converse(starts(1, Parrot(), opener=("tea ?",)), turns=3)
    assert [turn.text for turn in talk.turns] == ["tea ?"] * 4
