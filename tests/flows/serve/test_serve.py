"""serve, driven by OpenAI's own client: no reply is lost or crossed, limits hold, and a stop lets everybody finish."""

import asyncio
import contextlib
import http.client
import json
import re
import socket
import threading
import time
from urllib.parse import urlsplit

import openai
import pytest

from dialometer.contracts.serve import RequestLimits, ServeRequest
from dialometer.core.errors import UsageError
from dialometer.core.registry import create
from dialometer.core.seeds import derived
from dialometer.flows.serve.app import build
from dialometer.flows.serve.router import Desk
from dialometer.flows.serve.serve import serve
from dialometer.flows.serve.server import Server, bound, listen
from tests.flows.serve.bots import Echo, Follower, Gated, Moody

SECONDS = 30
CLIENTS = 50


class Running:
    """A server on a thread of this process."""

    def __init__(self, bots, limits, token, grace, **options):
        self.bots = {bot.name: bot for bot in bots}
        self.desk = Desk(self.bots, **options)
        self.place = bound("127.0.0.1", 0)
        self.url = listen(self.place, "127.0.0.1")
        opened = threading.Event()
        self.server = Server(build(self.desk, limits, token), self.desk, grace, opened.set)
        self.thread = threading.Thread(target=self.server.run, kwargs={"sockets": [self.place]})
        self.thread.start()
        assert opened.wait(SECONDS)

    def stop(self):
        """What a signal does."""
        self.server.handle_exit(15, None)

    def ended(self):
        self.thread.join(SECONDS)
        return not self.thread.is_alive()

    def client(self, kind=openai.OpenAI, key="none"):
        return kind(base_url=f"{self.url}/v1", api_key=key, max_retries=0, timeout=SECONDS)

    def send(self, method, path, body=None, headers=()):
        """Status, headers and body of a plain request."""
        with contextlib.closing(http.client.HTTPConnection(urlsplit(self.url).netloc, timeout=SECONDS)) as line:
            line.request(method, path, body, dict(headers))
            answer = line.getresponse()
            return answer.status, answer.headers, answer.read()

    def error(self, *asked):
        status, _, body = self.send(*asked)
        found = json.loads(body)["error"]
        assert found.keys() == {"message", "type", "param", "code"}
        return status, found["code"]


@pytest.fixture
def running(monkeypatch):
    """A callable: bots, options → Running; ended at the end."""
    for name in ("http_proxy", "all_proxy", "HTTP_PROXY", "ALL_PROXY"):
        monkeypatch.delenv(name, raising=False)
    made = []

    def begin(*bots, limits=None, token="", grace=SECONDS, **options):
        made.append(Running(bots, limits or RequestLimits(), token, grace, **options))
        return made[-1]

    yield begin
    for one in made:
        for bot in one.bots.values():
            if hasattr(bot, "gate"):
                bot.gate.set()
        one.server.should_exit = True
        assert one.ended()
        assert one.desk.close(SECONDS)


def user(text):
    return [{"role": "user", "content": text}]


def ask(client, model, text="hi", **more):
    return client.chat.completions.create(model=model, messages=user(text), **more)


def test_models_and_a_reply(running):
    server = running(create("bot", "parrot"), create("bot", "constant(text=yes)"))
    client = server.client()
    assert [model.id for model in client.models.list()] == ["parrot", "constant"]
    assert client.models.retrieve("parrot").owned_by == "dialometer"
    found = ask(client, "parrot", "tea ?", n=2)
    assert [(c.index, c.message.role, c.message.content, c.finish_reason) for c in found.choices] == [
        (0, "assistant", "tea ?", "stop"),
        (1, "assistant", "tea ?", "stop"),
    ]
    assert (found.model, found.system_fingerprint) == ("parrot", create("bot", "parrot").recipe)
    assert (found.usage.prompt_tokens, found.usage.completion_tokens, found.usage.total_tokens) == (2, 4, 6)
    assert ask(client, "constant").choices[0].message.content == "yes"


def test_a_stream_joins_to_the_whole_reply(running):
    server = running(Echo())
    client = server.client()
    text = "one  two\nthree äöü 茶"
    whole = ask(client, "echo", text, seed=5).choices[0].message.content
    assert whole.startswith(text)
    chunks = list(ask(client, "echo", text, seed=5, stream=True, stream_options={"include_usage": True}))
    assert chunks[0].choices[0].delta.role == "assistant"
    pieces = [chunk.choices[0].delta.content or "" for chunk in chunks if chunk.choices]
    assert "".join(pieces) == whole
    assert len([piece for piece in pieces if piece]) == len(whole.split())
    assert [chunk.choices[0].finish_reason for chunk in chunks if chunk.choices][-1] == "stop"
    assert chunks[-1].usage.completion_tokens == len(whole.split())


def test_fifty_clients_at_once_lose_and_cross_nothing(running):
    bot = Echo(0.1)
    server = running(bot)

    async def one(client, number):
        for k in range(4):
            text, seed = f"client {number} line {k}", 100 * number + k
            if number % 2:
                found = (await ask(client, "echo", text, seed=seed)).choices[0].message.content
            else:
                stream = await ask(client, "echo", text, seed=seed, stream=True)
                found = "".join([chunk.choices[0].delta.content or "" async for chunk in stream])
            assert found == f"{text} seed {seed} number 0"
        return 4

    async def everybody():
        async with server.client(openai.AsyncOpenAI) as client:
            return sum(await asyncio.gather(*(one(client, number) for number in range(CLIENTS))))

    assert asyncio.run(everybody()) == 4 * CLIENTS
    assert sum(bot.sizes) == 4 * CLIENTS
    assert len(bot.sizes) < 2 * CLIENTS  # one at a time would be 200 calls
    assert max(bot.sizes) > 4
    _, headers, body = server.send("GET", "/metrics")
    assert headers["content-type"].startswith("text/plain; version=0.0.4")
    assert f'dialometer_replies_total{{model="echo"}} {4 * CLIENTS}\n' in body.decode()
    ended = f'path="/v1/chat/completions",status="200"}} {4 * CLIENTS}\n'
    until(lambda: ended in server.send("GET", "/metrics")[2].decode())


def test_one_at_a_time_if_that_is_asked_for(running):
    bot = Echo(0.001)
    server = running(bot, size=1)
    client = server.client()
    threads = [threading.Thread(target=ask, args=(client, "echo")) for _ in range(10)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(SECONDS)
    assert bot.sizes == [1] * 10
    until(lambda: server.desk._batchers["echo"]._events == 20)  # it is told of every request, and of every answer that left


def test_seeds_are_the_request_s_own_or_counted(running):
    server = running(Echo(), seed=9)
    client = server.client()

    def seed(**more):
        answer = client.chat.completions.with_raw_response.create(model="echo", messages=user("hi"), **more)
        said = re.search(r"seed (\d+)", answer.parse().choices[0].message.content)[1]
        assert answer.headers["x-dialometer-seed"] == said
        return int(said)

    assert seed(seed=7) == seed(seed=7) == 7
    assert seed(seed=-1) == 2**63 - 1
    assert [seed(), seed()] == [derived(9, "request", 0), derived(9, "request", 1)]


def test_instructions_reach_bots_that_follow_some(running):
    client = running(Follower(), create("bot", "parrot")).client()
    messages = [*user("hi"), {"role": "system", "content": "be kind"}]
    said = client.chat.completions.create(model="follower", messages=messages).choices[0].message.content
    assert said == "system: be kind | user: hi"
    assert client.chat.completions.create(model="parrot", messages=messages).choices[0].message.content == "hi"


def test_a_failing_bot_fails_its_request_alone(running):
    server = running(Moody())
    client = server.client()
    with pytest.raises(openai.InternalServerError, match="a bad mood") as caught:
        ask(client, "moody", "raise")
    assert (caught.value.code, caught.value.type) == ("bot_failed", "server_error")
    with pytest.raises(openai.InternalServerError, match="SystemExit"):
        ask(client, "moody", "exit", stream=True)
    assert ask(client, "moody", "well").choices[0].message.content == "fine: well"
    assert 'dialometer_failures_total{model="moody"} 2' in server.send("GET", "/metrics")[2].decode()


def test_a_fault_of_the_server_is_an_answer_too(running, caplog):
    server = running(Echo())
    server.desk.recipes.clear()
    with pytest.raises(openai.InternalServerError, match="the server failed at this request"):
        ask(server.client(), "echo")
    until(lambda: "KeyError" in caplog.text)  # the fault itself is for the log
    assert 'status="500"} 1' in server.send("GET", "/metrics")[2].decode()


def test_wrong_requests_are_told_what_is_wrong(running):
    server = running(Echo(), limits=RequestLimits(body=2000, n=2))
    client = server.client()
    with pytest.raises(openai.NotFoundError, match="there is no model 'ecko'; there are: echo") as caught:
        ask(client, "ecko")
    assert caught.value.code == "model_not_found"
    with pytest.raises(openai.BadRequestError, match="above the most, 2"):
        ask(client, "echo", n=3)
    with pytest.raises(openai.BadRequestError, match="temprature"):
        ask(client, "echo", extra_body={"temprature": 1})
    chat = "/v1/chat/completions"
    assert server.error("POST", chat, b"{") == (400, "invalid_json")
    assert server.error("POST", chat, b'{"model": "echo"}') == (400, "empty_array")
    assert server.error("POST", chat, b" " * 2001) == (413, "body_too_long")
    assert server.error("POST", chat, None, {"Content-Length": "2001"}.items()) == (413, "body_too_long")  # not waited for
    assert server.error("POST", chat, iter([b" " * 1500] * 2)) == (413, "body_too_long")  # chunked: no length is told
    assert server.error("GET", chat) == (405, "method_not_supported")
    assert server.error("GET", "/v1/completions") == (404, "unknown_url")
    assert server.error("GET", "/v1/models/no/such") == (404, "model_not_found")
    assert ask(client, "echo").choices


def test_a_token_is_wanted_by_everything_but_health(running):
    server = running(Echo(), token="secret")
    assert ask(server.client(key="secret"), "echo").choices
    for key in ("Secret", "secret2", "secre", "sécret"):
        with pytest.raises((openai.AuthenticationError, UnicodeEncodeError)):
            ask(server.client(key=key), "echo")
    for path in ("/v1/models", "/v1/models/echo", "/metrics"):
        status, headers, _ = server.send("GET", path)
        assert (status, headers["www-authenticate"]) == (401, "Bearer")
        assert server.send("GET", path, headers={"Authorization": "Basic secret"}.items())[0] == 401
        assert server.send("GET", path, headers={"Authorization": "bearer secret"}.items())[0] == 200
    assert server.send("GET", "/health")[0] == 200


def in_threads(number, work):
    """Start a call several times; a list that fills with what they return or raise."""
    found = []

    def one():
        try:
            found.append(work())
        except openai.APIError as error:
            found.append(error)

    threads = [threading.Thread(target=one) for _ in range(number)]
    for thread in threads:
        thread.start()
    return threads, found


def until(condition):
    end = time.monotonic() + SECONDS
    while not condition():
        assert time.monotonic() < end
        time.sleep(0.005)


def test_a_full_queue_says_when_to_come_back(running):
    bot = Gated()
    server = running(bot, most=3)
    client = server.client()
    threads, found = in_threads(1, lambda: ask(client, "gated"))
    assert bot.begun.wait(SECONDS)
    more, also = in_threads(3, lambda: ask(client, "gated"))
    until(lambda: server.desk.waiting()["gated"] == 3)
    with pytest.raises(openai.RateLimitError, match="3 requests wait") as caught:
        ask(client, "gated")
    assert caught.value.response.headers["retry-after"] == "1"
    bot.gate.set()
    for thread in threads + more:
        thread.join(SECONDS)
    assert [answer.choices[0].message.content for answer in found + also] == ["hi"] * 4


def test_clients_that_ask_too_often(running):
    server = running(Echo(), limits=RequestLimits(rate=0.001))
    client = server.client()
    assert ask(client, "echo").choices
    with pytest.raises(openai.RateLimitError, match=r"more than 0\.001 requests a second") as caught:
        ask(client, "echo")
    assert 900 < int(caught.value.response.headers["retry-after"]) <= 1000
    assert server.send("GET", "/health")[0] == 200


def test_a_request_that_takes_too_long(running):
    bot = Gated()
    server = running(bot, limits=RequestLimits(timeout=0.2))
    client = server.client()
    with pytest.raises(openai.InternalServerError, match=r"no answer within 0\.2 s") as caught:
        ask(client, "gated", "first")
    assert caught.value.status_code == 504
    with pytest.raises(openai.InternalServerError):
        ask(client, "gated", "second")
    bot.gate.set()
    assert ask(client, "gated", "third").choices[0].message.content == "third"
    assert bot.heard == ["first", "third"]  # nobody waited for the second any more


def test_a_body_that_does_not_come(running):
    server = running(Echo(), limits=RequestLimits(timeout=0.2))
    place = urlsplit(server.url)
    with socket.create_connection((place.hostname, place.port), SECONDS) as line:
        line.sendall(b"POST /v1/chat/completions HTTP/1.1\r\nHost: x\r\nContent-Length: 50\r\n\r\n{")
        assert line.recv(100).startswith(b"HTTP/1.1 408")


def test_nobody_works_for_a_client_that_went_away(running):
    bot = Gated()
    server = running(bot)
    threads, _ = in_threads(1, lambda: ask(server.client(), "gated", "first"))
    assert bot.begun.wait(SECONDS)
    place = urlsplit(server.url)
    body = json.dumps({"model": "gated", "messages": user("second")}).encode()
    head = f"POST /v1/chat/completions HTTP/1.1\r\nHost: x\r\nContent-Length: {len(body)}\r\n\r\n".encode()
    with socket.create_connection((place.hostname, place.port), SECONDS) as line:
        line.sendall(head + body)
        until(lambda: server.desk.waiting()["gated"] == 1)
    until(lambda: server.desk.in_flight == 1)
    bot.gate.set()
    threads[0].join(SECONDS)
    assert ask(server.client(), "gated", "third").choices
    assert bot.heard == ["first", "third"]


def test_a_stop_lets_everybody_finish(running):
    bot = Gated()
    server = running(bot, size=2)
    client = server.client()
    threads, found = in_threads(5, lambda: ask(client, "gated", stream=True))
    until(lambda: len(bot.heard) + server.desk.waiting()["gated"] == 5)
    assert server.desk.in_flight == 5
    assert json.loads(server.send("GET", "/health")[2])["status"] == "ready"
    server.stop()
    status, _, body = server.send("GET", "/health")
    assert (status, json.loads(body)["status"]) == (503, "draining")
    with pytest.raises(openai.InternalServerError, match="the server is stopping") as caught:
        ask(client, "gated")
    assert caught.value.status_code == 503
    bot.gate.set()
    for thread in threads:
        thread.join(SECONDS)
    said = ["".join(chunk.choices[0].delta.content or "" for chunk in stream) for stream in found]
    assert said == ["hi"] * 5
    assert server.ended()
    assert server.server.cut_off == 0


def test_the_end_of_the_grace_cuts_off_what_is_left(running):
    bot = Gated()
    server = running(bot, size=1, grace=0.1)
    threads, found = in_threads(3, lambda: ask(server.client(), "gated"))
    until(lambda: len(bot.heard) + server.desk.waiting()["gated"] == 3 and bot.begun.is_set())
    server.stop()
    for thread in threads:
        thread.join(SECONDS)
    assert [error.status_code for error in found] == [503] * 3
    assert server.ended()
    assert server.server.cut_off == 3


def test_a_second_signal_does_not_wait_for_the_grace(running):
    bot = Gated()
    server = running(bot, grace=100 * SECONDS)
    threads, found = in_threads(1, lambda: ask(server.client(), "gated"))
    assert bot.begun.wait(SECONDS)
    server.stop()
    server.stop()
    threads[0].join(SECONDS)
    assert [error.status_code for error in found] == [503]
    assert server.ended()
    assert server.server.cut_off == 1


def test_a_taken_port(running):
    port = urlsplit(running(Echo()).url).port
    with pytest.raises(UsageError, match=f"port {port} of 127.0.0.1 is taken"):
        serve(ServeRequest(("parrot",), port=port))
