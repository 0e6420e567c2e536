"""The OpenAI-compatible bot against an endpoint that misbehaves: nothing lost, nothing crossed, nothing told."""

import pickle
import socket
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime

import pytest

from dialometer.bots._shared.ask import ask
from dialometer.bots.openai import Openai
from dialometer.core.errors import BotError, PartlyFailed, SpecError
from dialometer.core.registry import create, spec_of
from dialometer.core.types import Turn
from tests.bots.endpoint import refused, running, said

pytest.importorskip("httpx")
SECRET = "sk-Very-Secret-1234567890"


class Time:
    """A clock that moves only by sleeping."""

    def __init__(self):
        self.now, self.slept = 100.0, []

    def clock(self):
        return self.now

    async def sleep(self, seconds):
        self.slept.append(seconds)
        self.now += seconds


@pytest.fixture
def endpoint():
    with running() as made:
        yield made


@pytest.fixture
def made(endpoint, monkeypatch):
    """A callable: options → a bot of the endpoint, and its clock, which does not wait."""
    bots = []
    monkeypatch.setenv("TEST_KEY", SECRET)

    def make(**options):
        bot, time = Openai(**{"url": endpoint.url, "model": "tiny", "key": "TEST_KEY", **options}), Time()
        bot.connection.limiter.clock, bot.connection.limiter.sleep = time.clock, time.sleep
        bots.append(bot)
        return bot, time

    yield make
    for bot in bots:
        bot.close()


def talk(*texts):
    return tuple(Turn("ab"[i % 2], text) for i, text in enumerate(texts))


def free_port():
    with socket.socket() as held:
        held.bind(("127.0.0.1", 0))
        return held.getsockname()[1]


def test_fifty_contexts_come_back_whole_and_in_order(endpoint, made):
    endpoint.pause = 0.02
    bot, _ = made(concurrency=5)
    replies = bot.reply([talk(f"number {i}") for i in range(50)])
    assert replies == [[f"you said number {i} (0)"] for i in range(50)]
    assert len(endpoint.asked) == 50
    assert 2 <= endpoint.most <= 5
    assert set(endpoint.keys) == {f"Bearer {SECRET}"}


def test_what_is_sent(endpoint, made):
    bot, _ = made(system="Be brief.", temperature=0.0, top_p=0.9, max_tokens=20, window=2)
    bot.reply([talk("one", "two", "three")], seed=[2**40 + 5])
    (body,) = endpoint.asked
    assert body == {
        "model": "tiny",
        "messages": [
            {"role": "system", "content": "Be brief."},
            {"role": "assistant", "content": "two"},
            {"role": "user", "content": "three"},
        ],
        "seed": 5,
        "temperature": 0.0,
        "top_p": 0.9,
        "max_tokens": 20,
    }
    plain, _ = made()
    plain.reply([talk("hi")])
    assert endpoint.asked[1].keys() == {"model", "messages", "seed"}


def test_several_replies_even_where_the_server_gives_fewer(endpoint, made):
    bot, _ = made()
    assert bot.reply([talk("hi")], n=3) == [["you said hi (0)", "you said hi (1)", "you said hi (2)"]]
    assert [body["n"] for body in endpoint.asked] == [3]
    endpoint.rules = [lambda body, number: said(body, [f"answer {number}", " "])]
    assert bot.reply([talk("hi")], n=3) == [["answer 1", "answer 2", "answer 3"]]
    assert [body.get("n", 1) for body in endpoint.asked[1:]] == [3, 2, 1]
    assert len({body["seed"] for body in endpoint.asked[1:]}) == 3


def test_fields_that_an_endpoint_does_not_know_are_left_out(endpoint, made):
    def strict(body, number):
        if "seed" in body:
            return refused(422, "extra field 'seed' is not permitted")
        if "max_tokens" in body:
            return refused(
                400, "Unsupported parameter: 'max_tokens'; use 'max_completion_tokens'", "unsupported", "max_tokens"
            )
        return refused(400, "n must be 1", param="n") if body.get("n", 1) > 1 else None

    endpoint.rules = [strict]
    bot, _ = made(max_tokens=9)
    assert bot.reply([talk("hi")], n=2) == [["you said hi (0)", "you said hi (0)"]]
    assert endpoint.asked[-1].keys() == {"model", "messages", "max_completion_tokens"}
    before = len(endpoint.asked)
    bot.reply([talk("again")])
    assert len(endpoint.asked) == before + 1, "it has been learnt"


@pytest.mark.parametrize(
    "error",
    [
        refused(500),
        refused(503, "loading"),
        refused(429, "slow down"),
        (200, {}, "<html>oops"),
        (200, {}, {"choices": None}),
        (200, {}, {"choices": [{"message": {"content": ""}}]}),
        (502, {}, "bad gateway"),
    ],
    ids=["500", "503", "429", "no-json", "no-choices", "empty", "502"],
)
def test_passing_trouble_is_tried_again(endpoint, made, error):
    endpoint.rules = [lambda body, number: error if number == 0 else None]
    bot, time = made()
    assert bot.reply([talk("hi")]) == [["you said hi (0)"]]
    assert len(endpoint.asked) == 2
    assert 0.25 <= sum(time.slept) <= 0.5
    assert bot.usage()["retries"] == 1


def test_back_off_doubles_and_ends_with_a_sentence(endpoint, made):
    endpoint.rules = [lambda body, number: refused(500, "kaput")]
    bot, time = made(retries=4)
    with pytest.raises(BotError, match=r"1 of 1 contexts got no reply; the first: tiny at http://127.*500: kaput"):
        bot.reply([talk("hi")])
    assert len(endpoint.asked) == 5
    assert all(0.25 * 2**k <= slept <= 0.5 * 2**k for k, slept in enumerate(time.slept))


@pytest.mark.parametrize("told", ["7", "date"])
def test_retry_after_is_honoured_by_all(endpoint, made, told):
    bot, time = made(concurrency=1)

    def rule(body, number):
        when = told if told == "7" else format_datetime(datetime.now(UTC) + timedelta(seconds=7.9), usegmt=True)
        return refused(429, **{"retry-after": when}) if number == 0 else None

    endpoint.rules = [rule]
    began, paused = time.now, []
    bot.connection.limiter.pause = paused.append
    assert len(bot.reply([talk("a"), talk("b")])) == 2
    assert len(paused) == 1
    assert 6 <= paused[0] < 9
    assert 6 <= time.now - began < 18
    assert max(time.slept) >= 6


def test_who_asks_for_hours_is_not_waited_for(endpoint, made):
    endpoint.rules = [lambda body, number: refused(429, **{"retry-after": "7200"})]
    bot, time = made()
    with pytest.raises(PartlyFailed, match="asked too often"):
        bot.reply([talk("hi")])
    assert (len(endpoint.asked), time.slept) == (1, [])


@pytest.mark.parametrize(
    ("status", "code"), [(401, None), (404, "model_not_found"), (403, None), (429, "insufficient_quota")]
)
def test_a_closed_door_is_knocked_at_once(endpoint, made, status, code):
    endpoint.rules = [lambda body, number: refused(status, f"your key {SECRET} is wrong", code)]
    bot, time = made(concurrency=1)
    with pytest.raises(PartlyFailed) as caught:
        bot.reply([talk(f"{i}") for i in range(20)])
    assert (len(endpoint.asked), time.slept) == (1, [])
    assert len(caught.value.reasons) == 20
    assert str(status) in str(caught.value)
    assert "TEST_KEY" in caught.value.hint


def test_a_refused_context_fails_alone(endpoint, made):
    endpoint.rules = [lambda body, number: refused(400, "not nice") if "bad" in str(body["messages"]) else None]
    bot, _ = made()
    with pytest.raises(PartlyFailed) as caught:
        bot.reply([talk("good"), talk("bad"), talk("fine")])
    assert caught.value.replies == [["you said good (0)"], None, ["you said fine (0)"]]
    assert list(caught.value.reasons) == [1]
    assert "not nice" in caught.value.reasons[1]
    answers = ask(bot, [talk("good"), talk("bad")])
    assert [answer.replies for answer in answers] == [("you said good (0)",), ()]


def test_empty_text_is_tried_once_more_with_another_seed(endpoint, made):
    endpoint.rules = [lambda body, number: said(body, [""])]
    bot, _ = made()
    with pytest.raises(PartlyFailed, match=r"empty text \(finish reason: stop\)"):
        bot.reply([talk("hi")])
    one, two = endpoint.asked
    assert one["seed"] != two["seed"]


def test_an_endpoint_that_is_down_is_named_and_soon_left(monkeypatch):
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    bot = Openai(url=f"http://127.0.0.1:{free_port()}/v1", model="tiny", concurrency=1, retries=2)
    time = Time()
    bot.connection.limiter.clock, bot.connection.limiter.sleep = time.clock, time.sleep
    with pytest.raises(PartlyFailed) as caught:
        bot.reply([talk(f"{i}") for i in range(40)])
    bot.close()
    assert bot.url in str(caught.value)
    assert "cannot be reached" in str(caught.value)
    assert "OPENAI_API_KEY is not set" in caught.value.hint
    assert bot.usage()["requests"] == 5, "three tries of the first context, one of two more, none of the others"
    assert "not sent" in caught.value.reasons[39]
    assert bot.usage()["failures"] == 40


def test_trouble_with_some_contexts_is_not_taken_for_nobody_there(endpoint, made):
    """Five failures, but never three in a row: all others are asked."""
    endpoint.rules = [lambda body, number: refused(500, "boom") if "bad" in str(body["messages"]) else None]
    bot, _ = made(concurrency=1, retries=0)
    answers = ask(bot, [talk(f"{kind} {i}") for i in range(5) for kind in ("bad", "good")])
    assert [answer.replies for answer in answers[1::2]] == [(f"you said good {i} (0)",) for i in range(5)]
    assert all("boom" in answer.error for answer in answers[::2])


def test_a_proxy_is_not_asked_for_what_runs_here(endpoint, made, monkeypatch):
    for name in ("HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy"):
        monkeypatch.setenv(name, f"http://127.0.0.1:{free_port()}")
    for name in ("NO_PROXY", "no_proxy"):
        monkeypatch.delenv(name, raising=False)
    assert made(retries=0)[0].reply([talk("hi")]) == [["you said hi (0)"]]


def test_a_slow_endpoint_times_out(endpoint, made):
    endpoint.pause = 1.0
    bot, _ = made(timeout=0.2, retries=1)
    with pytest.raises(PartlyFailed, match=r"no answer within 0.2 s"):
        bot.reply([talk("hi")])
    assert bot.usage()["requests"] == 2


def test_too_long_contexts_are_cut_by_halves(endpoint, made):
    def small(body, number):
        length = sum(len(message["content"]) for message in body["messages"])
        return (
            refused(400, "This model's maximum context length is 9 tokens", "context_length_exceeded")
            if length > 9
            else None
        )

    endpoint.rules = [small]
    bot, time = made()
    assert bot.reply([talk("one", "two", "three", "four")]) == [["you said four (0)"]]
    assert bot.reply([talk("0123456789abcdefghij")]) == [["you said fghij (0)"]]
    assert time.slept == []
    assert bot.usage()["cut"] == 3
    endpoint.rules = [lambda body, number: refused(400, "prompt is too long")]
    with pytest.raises(PartlyFailed, match="too long"):
        bot.reply([talk("hi")])


def test_the_rate_is_held(endpoint, made):
    bot, time = made(rate="30/m", concurrency=1)
    bot.reply([talk(f"{i}") for i in range(6)])
    assert time.now == pytest.approx(110.0)
    assert time.slept == pytest.approx([2.0] * 5)


def test_usage_tells_tokens_cost_and_latency(endpoint, made):
    bot, _ = made(price_in=2.0, price_out=10.0)
    assert bot.usage()["latency_p50"] is None
    bot.reply([talk("hello")])
    out = len("you said hello (0)")
    use = bot.usage()
    assert (use["requests"], use["tokens_in"], use["tokens_out"]) == (1, 5, out)
    assert use["cost"] == pytest.approx((5 * 2 + out * 10) / 1e6)
    assert use["latency_p95"] == 0.0
    endpoint.rules = [lambda body, number: (200, {}, {"choices": [{"message": {"content": "hm"}}]})]
    bot.reply([talk("hello")])
    assert (bot.usage()["untold"], bot.usage()["cost"], bot.usage()["tokens_in"]) == (1, None, 5)
    assert made()[0].usage()["cost"] is None


def test_the_key_is_nowhere(endpoint, made):
    bot, _ = made(system="You are | kind")
    for text in (bot.recipe, repr(bot), spec_of(bot, "openai"), str(bot.usage()), bot.connection.__reduce__()):
        assert SECRET not in str(text)
    assert SECRET.encode() not in pickle.dumps(bot)
    assert "TEST_KEY" not in bot.recipe
    assert "|" not in bot.recipe
    assert bot.recipe != made()[0].recipe
    endpoint.rules = [lambda body, number: refused(400, f"bad key {SECRET}")]
    with pytest.raises(PartlyFailed) as caught:
        bot.reply([talk("hi")])
    assert SECRET not in str(caught.value) + str(caught.value.reasons)
    assert "bad key ***" in str(caught.value)


@pytest.mark.parametrize("key", [SECRET, "AIzaSyDxxx", "my key"])
def test_a_key_given_as_its_name_is_refused_and_not_repeated(key):
    with pytest.raises(SpecError, match="environment variable") as caught:
        Openai(model="m", key=key)
    assert key not in str(caught.value)


@pytest.mark.parametrize(
    "options",
    [
        {"url": "ftp://x"},
        {"url": "localhost:8000"},
        {"url": "http://me:pass@host/v1"},
        {"url": "http://host:99999999"},
        {"rate": "fast"},
        {"rate": "0/s"},
        {"concurrency": 0},
        {"timeout": 0.0},
        {"retries": -1},
    ],
    ids=str,
)
def test_wrong_options_are_refused(options):
    with pytest.raises(SpecError) as caught:
        Openai(**{"model": "m", **options})
    assert caught.value.hint
    assert "pass@" not in str(caught.value)


def test_a_missing_model_is_asked_for():
    with pytest.raises(SpecError, match="which model"):
        create("bot", "openai").recipe  # noqa: B018


@pytest.mark.parametrize("url", ["http://h:1/v1", "http://h:1/v1/", "http://h:1/v1/chat/completions"])
def test_addresses_are_spelt_as_people_spell_them(url):
    assert Openai(url=url, model="m").address == "http://h:1/v1/chat/completions"


def test_specs_with_addresses_round_trip():
    bot = create("bot", 'openai(url=http://127.0.0.1:9/v1,model=org/name:tag,system="Be kind, and brief.",temperature=0)')
    assert create("bot", spec_of(bot, "openai")) == bot
    assert (bot.system, bot.temperature) == ("Be kind, and brief.", 0.0)


def test_the_bot_opens_a_conversation_when_asked_to(endpoint, made):
    bot, _ = made()
    assert bot.reply([()])[0][0].startswith("you said Start a conversation")
    assert bot.reply([]) == []


def test_it_works_inside_a_running_loop_and_after_closing(endpoint, made):
    import asyncio

    bot, _ = made()

    async def inside():
        return bot.reply([talk("hi")])

    assert asyncio.run(inside()) == [["you said hi (0)"]]
    bot.close()
    assert bot.reply([talk("ho")]) == [["you said ho (0)"]]
