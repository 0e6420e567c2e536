"""Answers as OpenAI's clients read them: one object, or a stream of pieces that join to the same text."""

from __future__ import annotations

import re
import secrets
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import orjson

from dialometer.flows.serve.request import Asked

DONE = b"data: [DONE]\n\n"


@dataclass(frozen=True, slots=True)
class Completion:
    """The replies to one request; ``recipe`` tells which bot it was, to the last option."""

    asked: Asked
    replies: tuple[str, ...]
    recipe: str
    id: str = field(default_factory=lambda: f"chatcmpl-{secrets.token_hex(12)}")
    created: int = field(default_factory=lambda: int(time.time()))

    def to_json(self) -> dict[str, Any]:
        """The whole answer."""
        choices = [
            {
                "index": index,
                "message": {"role": "assistant", "content": text, "refusal": None},
                "logprobs": None,
                "finish_reason": ending,
            }
            for index, (text, ending) in enumerate(self._shortened())
        ]
        return {**self._head("chat.completion"), "choices": choices, "usage": self._usage()}

    def stream(self) -> Iterator[bytes]:
        """The answer as server-sent events: role, pieces, how it ended; usage if it was asked for."""
        for index, (text, ending) in enumerate(self._shortened()):
            yield self._chunk(index, {"role": "assistant", "content": ""})
            for piece in pieces(text):
                yield self._chunk(index, {"content": piece})
            yield self._chunk(index, {}, ending)
        if self.asked.usage:
            yield _event({**self._head("chat.completion.chunk"), "choices": [], "usage": self._usage()})
        yield DONE

    def _chunk(self, index: int, delta: dict[str, str], ending: str | None = None) -> bytes:
        choice = {"index": index, "delta": delta, "logprobs": None, "finish_reason": ending}
        usage = {"usage": None} if self.asked.usage else {}
        return _event({**self._head("chat.completion.chunk"), "choices": [choice], **usage})

    def _head(self, kind: str) -> dict[str, Any]:
        fixed = {"id": self.id, "object": kind, "created": self.created}
        return {**fixed, "model": self.asked.model, "system_fingerprint": self.recipe}

    def _shortened(self) -> list[tuple[str, str]]:
        return [shortened(reply, self.asked.stop, self.asked.words) for reply in self.replies]

    def _usage(self) -> dict[str, int]:
        """Words stand for tokens: bots cut texts in ways of their own, or not at all."""
        prompt = words_of(turn.text for turn in (*self.asked.told, *self.asked.context))
        replies = words_of(text for text, _ in self._shortened())
        return {"prompt_tokens": prompt, "completion_tokens": replies, "total_tokens": prompt + replies}


def words_of(texts: Iterator[str] | Sequence[str]) -> int:
    """How many words some texts have between white space."""
    return sum(len(text.split()) for text in texts)


def shortened(reply: str, stop: Sequence[str], words: int | None) -> tuple[str, str]:
    """A reply up to the first stop text and the most words, and why it ended there.

    >>> shortened("I like tea. And you?", ["."], None), shortened("I like tea.", [], 2)
    (('I like tea', 'stop'), ('I like', 'length'))
    """
    for end in stop:
        reply = reply.partition(end)[0]
    found = list(re.finditer(r"\S+", reply))
    if words is None or len(found) <= words:
        return reply, "stop"
    return reply[: found[words - 1].end()], "length"


def pieces(text: str) -> list[str]:
    """A text word by word, white space kept, so that the pieces join to it.

    >>> pieces(" one two  three ")
    [' one', ' two', '  three', ' ']
    """
    return re.findall(r"\s*\S+|\s+\Z", text)


def _event(data: dict[str, Any]) -> bytes:
    return b"data: " + orjson.dumps(data) + b"\n\n"
