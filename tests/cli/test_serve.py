"""dialometer serve as a process of its own: what it prints, how it is reached, and how it ends."""

import asyncio
import contextlib
import json
import os
import signal
import subprocess
import sys
import threading
import time

import openai
import pytest

SECONDS = 60
SLOW = """
import pathlib, time

def slow(context):
    pathlib.Path("begun").touch()
    time.sleep(float(context[-1].split()[0]))
    return context[-1]

def drawn(context, seed):
    return str(seed)

def angry(context):
    raise RuntimeError("go away")
"""


@pytest.fixture
def serve(tmp_path, monkeypatch):
    """A callable: arguments → (process, base address); process groups that still run at the end are killed."""
    for name in ("http_proxy", "all_proxy", "HTTP_PROXY", "ALL_PROXY"):
        monkeypatch.delenv(name, raising=False)
    (tmp_path / "mine.py").write_text(SLOW)
    running = []

    def begin(*arguments, **environment):
        command = [sys.executable, "-m", "dialometer", "serve", *arguments, "--port", "0", "--json"]
        process = subprocess.Popen(
            command, cwd=tmp_path, env=os.environ | environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
            stderr=subprocess.PIPE, text=True, start_new_session=True,
        )  # fmt: skip
        running.append(process)
        watch = threading.Timer(SECONDS, lambda: os.killpg(process.pid, signal.SIGKILL))
        watch.start()
        line = process.stdout.readline()
        watch.cancel()
        assert line, process.stderr.read()
        return process, json.loads(line)

    yield begin
    for process in running:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.communicate(timeout=SECONDS)


def client(told, kind=openai.OpenAI, key="none"):
    return kind(base_url=told["url"], api_key=key, max_retries=0, timeout=SECONDS)


def ask(line, model, text="hello", **more):
    return line.chat.completions.create(model=model, messages=[{"role": "user", "content": text}], **more)


def said(answer):
    return answer.choices[0].message.content


def ended(process, number=signal.SIGTERM):
    """Exit code and standard error after a signal."""
    process.send_signal(number)
    out, err = process.communicate(timeout=SECONDS)
    assert out == ""
    assert "Traceback" not in err
    return process.returncode, err


def test_three_bots_by_the_official_client(serve):
    process, told = serve("parrot", "eliza", "constant(text=yes)", "--name", "p", "--name", "eliza", "--name", "runs/c")
    assert told["models"] == ["p", "eliza", "runs/c"]
    line = client(told)
    assert [model.id for model in line.models.list()] == told["models"]
    assert line.models.retrieve("runs/c").id == "runs/c"
    assert said(ask(line, "p", "tea ?")) == "tea ?"
    assert said(ask(line, "runs/c")) == "yes"
    whole = said(ask(line, "eliza", "I need tea", seed=3))
    assert "tea" in whole
    assert whole == "".join(
        chunk.choices[0].delta.content or "" for chunk in ask(line, "eliza", "I need tea", seed=3, stream=True)
    )

    async def many():
        async with client(told, openai.AsyncOpenAI) as other:
            return await asyncio.gather(*(ask(other, "p", f"line {k}") for k in range(20)))

    assert [said(answer) for answer in asyncio.run(many())] == [f"line {k}" for k in range(20)]
    assert ended(process, signal.SIGINT) == (0, "")


def test_the_same_seed_gives_the_same_replies_after_a_restart(serve):
    replies = []
    for _ in range(2):
        process, told = serve("callable(target=mine:drawn)", "--name", "drawn", "--seed", "4")
        replies.append([said(ask(client(told), "drawn")) for _ in range(3)])
        assert ended(process)[0] == 0
    assert replies[0] == replies[1]
    assert len(set(replies[0])) == 3


def wait_for(path):
    end = time.monotonic() + SECONDS
    while not path.exists():
        assert time.monotonic() < end
        time.sleep(0.01)


def asked_in_threads(told, texts):
    """Replies or errors by text, and the threads that fetch them."""
    found = {}

    def one(text):
        try:
            found[text] = said(ask(client(told), "slow", text))
        except openai.APIError as error:
            found[text] = error

    threads = [threading.Thread(target=one, args=(text,)) for text in texts]
    for thread in threads:
        thread.start()
    return found, threads


def test_a_stop_answers_what_was_asked(serve, tmp_path):
    process, told = serve("callable(target=mine:slow)", "--name", "slow", "--batch", "1")
    found, threads = asked_in_threads(told, [f"0.3 {k}" for k in range(3)])
    wait_for(tmp_path / "begun")
    time.sleep(0.2)  # the others are on their way
    assert ended(process) == (0, "")
    for thread in threads:
        thread.join(SECONDS)
    answered = [text for text, reply in found.items() if reply == text]
    refused = [reply for reply in found.values() if isinstance(reply, openai.APIError)]
    assert answered
    assert len(answered) + len(refused) == 3
    assert all("stopping" in str(error) for error in refused)  # came after the signal, on a slow machine


def test_a_bot_that_does_not_come_to_its_end_does_not_hold_the_server(serve, tmp_path):
    process, told = serve("callable(target=mine:slow)", "--name", "slow", "--grace", "0.2")
    found, threads = asked_in_threads(told, ["500 s"])
    wait_for(tmp_path / "begun")
    code, err = ended(process)
    assert code == 0
    assert "1 requests were cut off" in err
    threads[0].join(SECONDS)
    assert found["500 s"].status_code == 503


def test_a_bot_that_raises(serve):
    process, told = serve("callable(target=mine:angry)", "parrot", "--name", "angry", "--name", "parrot")
    with pytest.raises(openai.InternalServerError, match="go away"):
        ask(client(told), "angry")
    assert said(ask(client(told), "parrot")) == "hello"
    assert ended(process) == (0, "")


def test_a_token_from_the_environment(serve):
    _, told = serve("parrot", "--token-env", "MY_TOKEN", MY_TOKEN="secret")
    assert said(ask(client(told, key="secret"), "parrot")) == "hello"
    with pytest.raises(openai.AuthenticationError):
        ask(client(told), "parrot")


def test_options_in_a_file(serve, tmp_path):
    (tmp_path / "serve.toml").write_text('bots = ["parrot"]\nnames = ["bird"]\nmax-n = 1\nrate = 100\ntimeout = 60\n')
    _, told = serve("--config", "serve.toml")
    assert told["models"] == ["bird"]
    with pytest.raises(openai.BadRequestError, match="above the most, 1"):
        ask(client(told), "bird", n=2)


def test_a_taken_port_is_a_sentence(serve, cli):
    _, told = serve("parrot")
    port = told["url"].rpartition(":")[2].removesuffix("/v1")
    assert f"port {port} of 127.0.0.1 is taken" in cli("serve", "parrot", "--port", port).refused()


def test_what_cannot_be_served(cli, tmp_path):
    assert "no bot was named" in cli("serve").refused()
    (tmp_path / "odd.toml").write_text('bots = ["parrot"]\nrate = "many"\n')
    assert "rate wants a number, not 'many'" in cli("serve", "--config", "odd.toml").refused()
    assert "there is no bot named 'elisa'; did you mean eliza" in cli("serve", "elisa").refused()
    assert "runs/none is not something fitted" in cli("serve", "runs/none", "--port", "0").refused()
    assert "there is no module 'nothere'" in cli("serve", "callable(target=nothere:f)", "--port", "0").refused()
    assert "the environment has no NO_TOKEN" in cli("serve", "parrot", "--token-env", "NO_TOKEN").refused()
    assert "--max-queue is 1 to 1000000000, not 0" in cli("serve", "parrot", "--max-queue", "0").refused()
