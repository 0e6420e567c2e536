"""The queue of a bot: batches fill while it is busy, answers find their senders, one failure costs one request."""

import threading
import time

import pytest

from dialometer.core.types import Turn
from dialometer.flows.serve.batching import Batcher, Ticket
from dialometer.flows.serve.counters import Counters
from dialometer.flows.serve.errors import Refusal
from tests.flows.serve.bots import Echo, Gated, Moody

SECONDS = 20


@pytest.fixture
def batcher():
    """A callable: bot, options → its batcher, ended at the end."""
    made = []

    def begin(bot, **options):
        made.append(Batcher(bot.name, bot, Counters(), **options))
        return made[-1]

    yield begin
    for one in made:
        if hasattr(one.bot, "gate"):
            one.bot.gate.set()
        assert one.close(SECONDS)


def ticket(text, n=1, seed=0):
    return Ticket((Turn("user", text),), n, seed)


def replies(future):
    return future.result(SECONDS).replies


def test_everybody_gets_the_answer_to_the_own_question(batcher):
    desk, futures = batcher(Echo(0.002), size=16), {}

    def ask(worker):
        for k in range(40):
            text, n = f"{worker}/{k}", 1 + k % 3
            futures[text, n, k] = desk.put(ticket(text, n, seed=1000 * worker + k))

    threads = [threading.Thread(target=ask, args=(worker,)) for worker in range(25)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(SECONDS)
    assert len(futures) == 1000
    for (text, n, k), future in futures.items():
        seed = 1000 * int(text.split("/")[0]) + k
        assert replies(future) == tuple(f"{text} seed {seed} number {i}" for i in range(n))
    assert max(desk.bot.sizes) <= 16
    assert len(desk.bot.sizes) < 500  # by far fewer calls than requests


def test_what_comes_while_the_bot_is_busy_is_answered_together(batcher):
    bot = Gated()
    desk = batcher(bot, size=64)
    first = desk.put(ticket("first"))
    assert bot.begun.wait(SECONDS)
    others = [desk.put(ticket(f"other {k}")) for k in range(10)]
    assert len(desk) == 10
    bot.gate.set()
    assert replies(first) == ("first",)
    assert [replies(future) for future in others] == [(f"other {k}",) for k in range(10)]
    text = desk._counters.text({})
    assert 'dialometer_batch_size_bucket{model="gated",le="1"} 1' in text
    assert 'dialometer_batch_size_bucket{model="gated",le="16"} 2' in text


def test_where_requests_came_in_company_more_are_waited_for(batcher):
    """A batch of eight that took 100 s: those who were answered are about to ask again, one after the other."""
    desk = batcher(Echo(0), size=4, wait=SECONDS)
    desk._last = (8, 100.0)
    futures = []
    for k in range(4):
        futures.append(desk.put(ticket(str(k))))
        time.sleep(0.02)
    assert all(map(replies, futures))
    assert desk.bot.sizes == [4]


def test_a_bot_that_answers_at_once_keeps_nobody_waiting(batcher):
    """A quarter of the time of the last batch is the most; of none, there is nothing to gain."""
    desk = batcher(Echo(0), wait=100 * SECONDS)
    desk._last = (8, 0.0)
    assert replies(desk.put(ticket("hi")))


def test_equal_numbers_of_replies_go_together(batcher):
    bot = Gated()
    desk = batcher(bot, size=64)
    desk.put(ticket("first"))
    assert bot.begun.wait(SECONDS)
    futures = [desk.put(ticket(str(k), n=1 + k % 2)) for k in range(20)]
    bot.gate.set()
    assert [replies(future) for future in futures] == [(str(k),) * (1 + k % 2) for k in range(20)]
    assert 'dialometer_batch_size_bucket{model="gated",le="8"} 1' in desk._counters.text({})
    assert 'dialometer_batch_size_bucket{model="gated",le="16"} 3' in desk._counters.text({})


def test_one_failure_costs_one_request(batcher):
    desk = batcher(Moody())
    futures = [desk.put(ticket(text)) for text in ("a", "raise", "b", "few", "sentence", "c")]
    found = [future.result(SECONDS) for future in futures]
    assert [answer.replies for answer in found] == [("fine: a",), (), ("fine: b",), (), (), ("fine: c",)]
    assert "RuntimeError: a bad mood" in found[1].error
    assert "0 replies where 1" in found[3].error
    assert found[4].error == "the bot is out of words"


def test_a_bot_that_exits_does_not_end_the_thread(batcher):
    desk = batcher(Moody())
    assert "SystemExit" in desk.put(ticket("exit")).result(SECONDS).error
    assert replies(desk.put(ticket("well"))) == ("fine: well",)


def test_a_full_queue_refuses_and_senders_who_left_make_room(batcher):
    bot = Gated()
    desk = batcher(bot, most=2)
    first = desk.put(ticket("first"))
    assert bot.begun.wait(SECONDS)
    second, third = desk.put(ticket("second")), desk.put(ticket("third"))
    with pytest.raises(Refusal) as caught:
        desk.put(ticket("fourth"))
    assert (caught.value.status, caught.value.headers) == (429, {"Retry-After": "1"})
    assert second.cancel()
    fifth = desk.put(ticket("fifth"))
    bot.gate.set()
    assert [replies(future) for future in (first, third, fifth)] == [("first",), ("third",), ("fifth",)]
    assert bot.heard == ["first", "third", "fifth"]


def test_closing_works_off_what_waits(batcher):
    bot = Gated()
    desk = batcher(bot, size=1)
    futures = [desk.put(ticket(str(k))) for k in range(5)]
    assert bot.begun.wait(SECONDS)
    assert not desk.close(0.01)
    with pytest.raises(Refusal, match="stopping"):
        desk.put(ticket("late"))
    bot.gate.set()
    assert desk.close(SECONDS)
    assert [replies(future) for future in futures] == [(str(k),) for k in range(5)]


def test_what_is_abandoned_is_told_so(batcher):
    bot = Gated()
    desk = batcher(bot, size=2)
    futures = [desk.put(ticket(str(k))) for k in range(5)]
    assert bot.begun.wait(SECONDS)
    assert desk.abandon() == 5
    for future in futures:
        with pytest.raises(Refusal, match="stopping"):
            future.result(SECONDS)
