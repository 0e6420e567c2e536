"""What a request to /v1/chat/completions asks for: its fields checked one by one, its messages turned into a context."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import orjson

from dialometer.contracts.serve import RequestLimits
from dialometer.core.types import Turn
from dialometer.flows.serve.errors import Refusal, wrong

SYSTEM = "system"
SPEAKERS = {"user": "user", "assistant": "assistant", "system": SYSTEM, "developer": SYSTEM}
RANGES = {"temperature": (0, 2), "top_p": (0, 1), "presence_penalty": (-2, 2), "frequency_penalty": (-2, 2)}
# What changes nothing in the shape of an answer is taken and left aside.
IGNORED = frozenset(
    "user metadata store service_tier logit_bias prediction reasoning_effort verbosity safety_identifier prompt_cache_key"
    " prompt_cache_retention parallel_tool_calls".split()
)
# What would change it is refused, unless it asks for plain text after all.
HARMLESS: dict[str, tuple[Any, ...]] = {
    "tools": ([],),
    "tool_choice": ("none", "auto"),
    "functions": ([],),
    "function_call": ("none", "auto"),
    "response_format": ({"type": "text"},),
    "logprobs": (False,),
    "top_logprobs": (0,),
    "modalities": (["text"],),
    "audio": (),
    "web_search_options": (),
}
KNOWN = frozenset(
    "model messages n seed stream stream_options stop max_tokens max_completion_tokens".split()
) | {*RANGES, *IGNORED, *HARMLESS}  # fmt: skip
KINDS = {str: "text", int: "a whole number", bool: "true or false", list: "a list", dict: "an object"}
MAX_STOPS = 4


@dataclass(frozen=True, slots=True)
class Asked:
    """A request that can be answered; ``words`` is the most that a reply may have, ``seed`` is None where none was given.

    ``told`` are the instructions (messages of ``system`` and ``developer``), for bots that follow some.
    """

    model: str
    context: tuple[Turn, ...]
    told: tuple[Turn, ...] = ()
    n: int = 1
    seed: int | None = None
    stream: bool = False
    usage: bool = False
    stop: tuple[str, ...] = ()
    words: int | None = None


def read_asked(body: bytes, limits: RequestLimits) -> Asked:
    """The request in a body, or a refusal that names the field.

    >>> asked = read_asked(b'{"model": "eliza", "messages": [{"role": "user", "content": "hi"}], "n": 2}', RequestLimits())
    >>> asked.context[0].text, asked.n
    ('hi', 2)
    """
    try:
        given = orjson.loads(body)
    except orjson.JSONDecodeError as error:
        raise Refusal(400, f"the body is not JSON ({error})", code="invalid_json") from None
    if type(given) is not dict:
        raise Refusal(400, "the body is JSON but not an object", code="invalid_json")
    row = {key: value for key, value in given.items() if value is not None}
    _check_known(row)
    if "model" not in row:
        raise wrong("model", "a model must be named; GET /v1/models lists them", "missing_required_parameter")
    turns = _turns(_of(row, "messages", list, []), limits)
    options = _of(row, "stream_options", dict, {})
    return Asked(
        _of(row, "model", str, ""),
        tuple(turn for turn in turns if turn.speaker != SYSTEM),
        tuple(turn for turn in turns if turn.speaker == SYSTEM),
        _number(row, "n", 1, 1, limits.n),
        _number(row, "seed", None, -(2**63), 2**63 - 1),
        _of(row, "stream", bool, False),
        _of(options, "include_usage", bool, False),
        _stops(row.get("stop", [])),
        _number(row, "max_completion_tokens", _number(row, "max_tokens", None, 1), 1),
    )


def _check_known(row: dict[str, Any]) -> None:
    for key, value in row.items():
        if key not in KNOWN:
            told = f"unrecognised request argument supplied: {key[:80]}"
            raise Refusal(400, told, code="unknown_parameter", param=key[:80])
        if key in HARMLESS and value not in HARMLESS[key]:
            raise wrong(key, "these bots answer with plain text and have no such thing", "unsupported_parameter")
        if key in RANGES:
            low, high = RANGES[key]
            if type(value) not in (int, float) or not low <= value <= high:
                raise wrong(key, f"a number from {low} to {high} was expected")


def _of(row: dict[str, Any], key: str, kind: type, default: Any) -> Any:
    """A field of one type."""
    value = row.get(key, default)
    if type(value) is not kind:
        raise wrong(key, f"{KINDS[kind]} was expected", "invalid_type")
    return value


def _number(row: dict[str, Any], key: str, default: int | None, low: int, high: int | None = None) -> Any:
    """A whole number within bounds."""
    if key not in row:
        return default
    value = _of(row, key, int, 0)
    if value < low:
        raise wrong(key, f"{value} is below the least, {low}", "integer_below_min_value")
    if high is not None and value > high:
        raise wrong(key, f"{value} is above the most, {high}", "integer_above_max_value")
    return value


def _stops(value: Any) -> tuple[str, ...]:
    stops = [value] if type(value) is str else value
    if type(stops) is not list or len(stops) > MAX_STOPS or not all(type(text) is str and text for text in stops):
        raise wrong("stop", f"a text or up to {MAX_STOPS} of them was expected", "invalid_type")
    return tuple(stops)


def _turns(messages: list[Any], limits: RequestLimits) -> list[Turn]:
    """A turn per message."""
    if not messages:
        raise wrong("messages", "at least one message was expected", "empty_array")
    if len(messages) > limits.messages:
        raise wrong("messages", f"{len(messages)} messages; at most {limits.messages} are taken", "array_above_max_length")
    turns = []
    for number, message in enumerate(messages):
        where = f"messages[{number}]"
        role = message.get("role") if type(message) is dict else None
        if type(role) is not str:
            raise wrong(where, "an object with a role and a content was expected", "invalid_type")
        if role not in SPEAKERS:
            raise wrong(f"{where}.role", f"{role[:40]!r} is none of {', '.join(SPEAKERS)}")
        text = _content(message.get("content"), f"{where}.content")
        if len(text) > limits.chars:
            told = f"{len(text)} characters; at most {limits.chars} are taken"
            raise wrong(f"{where}.content", told, "string_above_max_length")
        turns.append(Turn(SPEAKERS[role], text))
    return turns


def _content(value: Any, where: str) -> str:
    """A text, or the texts of its parts."""
    if type(value) is str:
        return value
    if type(value) is not list:
        raise wrong(where, "text or a list of text parts was expected", "invalid_type")
    for part in value:
        if type(part) is not dict or part.get("type") != "text" or type(part.get("text")) is not str:
            raise wrong(where, "these bots read nothing but text parts", "unsupported_content")
    return "\n".join(part["text"] for part in value)
