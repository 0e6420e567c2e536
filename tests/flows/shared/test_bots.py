"""Bots are ready before anybody talks to them, or the reason is told."""

import logging

import pytest

from dialometer.core.errors import BotError, MissingResource, SpecError, UsageError
from dialometer.flows.shared import bots as loading
from dialometer.flows.shared.bots import load


class Bot:
    """Does what it is told when it is greeted."""

    name, version, recipe = "guest", 1, "guest-1"

    def __init__(self, error=None, remote=False):
        self.error, self.remote, self.greeted = error, remote, 0

    def reply(self, contexts, *, n=1, seed=0):
        self.greeted += 1
        if self.error:
            raise self.error
        return [["hi"] * n for _ in contexts]


@pytest.fixture
def loaded(monkeypatch):
    def run(bot):
        monkeypatch.setattr(loading, "create", lambda kind, spec: bot)
        return load("guest")

    return run


def test_a_bot_is_greeted_once_and_a_remote_one_is_not(loaded):
    assert loaded(Bot()).greeted == 1
    assert loaded(Bot(remote=True)).greeted == 0


@pytest.mark.parametrize("spec", ["openai", "callable(target=nothere:f)", "command(argv=no-such-program)"])
def test_wrong_options_of_a_remote_bot_end_the_start(spec):
    with pytest.raises(SpecError) as caught:
        load(spec)
    assert caught.value.hint


def test_what_is_missing_ends_the_start(loaded):
    with pytest.raises(MissingResource, match="no weights"):
        loaded(Bot(MissingResource("no weights", "pip install weights")))


@pytest.mark.parametrize("error", [BotError("no such context"), ValueError("odd")])
def test_a_bot_without_an_answer_to_a_greeting_is_served(loaded, caplog, error):
    with caplog.at_level(logging.WARNING, logger="dialometer"):
        assert loaded(Bot(error)).greeted == 1
    assert "guest did not answer a greeting" in caplog.text


def test_a_bot_that_has_learnt_nothing(loaded):
    class Unfitted(Bot):
        fitted = False

        def fit(self, talks, *, seed=0, work=None, progress=None): ...
        def save(self, folder): ...
        @classmethod
        def load(cls, folder): ...
        def seen(self): ...

    with pytest.raises(UsageError, match="guest has not been trained yet") as caught:
        loaded(Unfitted())
    assert caught.value.hint.startswith("dialometer train guest FILE… -o runs/")
