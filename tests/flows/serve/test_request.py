"""Requests as clients send them: read, or refused with the field that is wrong."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dialometer.contracts.serve import RequestLimits
from dialometer.flows.serve.errors import Refusal
from dialometer.flows.serve.request import KNOWN, Asked, read_asked

HI = [{"role": "user", "content": "hi"}]


def asked(**fields):
    return read_asked(json.dumps({"model": "m", "messages": HI} | fields).encode(), RequestLimits())


def refusal(status=400, limits=None, body=None, **fields):
    data = json.dumps({"model": "m", "messages": HI} | fields).encode() if body is None else body
    with pytest.raises(Refusal) as caught:
        read_asked(data, limits or RequestLimits())
    assert caught.value.status == status
    return caught.value


def test_a_plain_request():
    found = asked()
    assert (found.model, found.n, found.seed, found.stream, found.stop, found.words) == ("m", 1, None, False, (), None)
    assert [(turn.speaker, turn.text) for turn in found.context] == [("user", "hi")]


def test_roles_and_parts_become_turns_and_instructions_stand_apart():
    found = asked(
        messages=[
            {"role": "system", "content": "be kind"},
            {"role": "user", "content": [{"type": "text", "text": "hi"}, {"type": "text", "text": "you"}]},
            {"role": "assistant", "content": "hello", "name": "b"},
            {"role": "developer", "content": "be brief"},
            {"role": "user", "content": ""},
        ]
    )
    assert [(t.speaker, t.text) for t in found.context] == [("user", "hi\nyou"), ("assistant", "hello"), ("user", "")]
    assert [t.text for t in found.told] == ["be kind", "be brief"]


def test_a_conversation_of_instructions_alone_is_opened_by_the_bot():
    assert asked(messages=[{"role": "system", "content": "be kind"}]).context == ()


def test_what_shapes_an_answer():
    found = asked(n=3, seed=-7, stream=True, stream_options={"include_usage": True}, stop=["a", "b"], max_tokens=5)
    assert (found.n, found.seed, found.stream, found.usage, found.stop, found.words) == (3, -7, True, True, ("a", "b"), 5)
    assert asked(stop="x", max_tokens=5, max_completion_tokens=9).words == 9
    assert asked(stop="x").stop == ("x",)
    assert asked(n=None, seed=None, stop=None, stream=None) == asked()


def test_what_changes_nothing_is_left_aside():
    given = {"temperature": 0.7, "top_p": 1, "user": "u", "logit_bias": {"5": 3}, "metadata": {}, "presence_penalty": -2}
    plain = {
        "tools": [],
        "tool_choice": "none",
        "response_format": {"type": "text"},
        "logprobs": False,
        "modalities": ["text"],
    }
    assert asked(**given, **plain) == asked()


@pytest.mark.parametrize(
    ("field", "value", "code"),
    [
        ("n", 0, "integer_below_min_value"),
        ("n", 17, "integer_above_max_value"),
        ("n", "2", "invalid_type"),
        ("n", True, "invalid_type"),
        ("seed", 1.5, "invalid_type"),
        ("seed", 2**63, "integer_above_max_value"),
        ("stream", "yes", "invalid_type"),
        ("stream_options", [], "invalid_type"),
        ("stop", ["a", "b", "c", "d", "e"], "invalid_type"),
        ("stop", [3], "invalid_type"),
        ("max_tokens", 0, "integer_below_min_value"),
        ("temperature", 2.5, "invalid_value"),
        ("temperature", "hot", "invalid_value"),
        ("top_p", -0.1, "invalid_value"),
        ("tools", [{"type": "function"}], "unsupported_parameter"),
        ("logprobs", True, "unsupported_parameter"),
        ("response_format", {"type": "json_object"}, "unsupported_parameter"),
        ("temprature", 1, "unknown_parameter"),
        ("model", 5, "invalid_type"),
        ("model", None, "missing_required_parameter"),
        ("messages", "hi", "invalid_type"),
        ("messages", [], "empty_array"),
    ],
)
def test_a_wrong_field_is_named(field, value, code):
    found = refusal(**{field: value})
    assert (found.param, found.code) == (field, code)
    assert field in found.message
    assert found.to_json()["error"]["type"] == "invalid_request_error"


@pytest.mark.parametrize(
    ("message", "place", "code"),
    [
        ("hi", "messages[1]", "invalid_type"),
        ({"content": "hi"}, "messages[1]", "invalid_type"),
        ({"role": "tool", "content": "hi"}, "messages[1].role", "invalid_value"),
        ({"role": "user"}, "messages[1].content", "invalid_type"),
        ({"role": "user", "content": 5}, "messages[1].content", "invalid_type"),
        ({"role": "user", "content": [{"type": "image_url"}]}, "messages[1].content", "unsupported_content"),
        ({"role": "user", "content": "x" * 20_000}, "messages[1].content", "string_above_max_length"),
    ],
)
def test_a_wrong_message_is_named(message, place, code):
    found = refusal(messages=[*HI, message])
    assert (found.param, found.code) == (place, code)


def test_limits_are_those_that_were_set():
    limits = RequestLimits(messages=2, chars=3, n=2)
    assert refusal(limits=limits, messages=HI * 3).code == "array_above_max_length"
    assert refusal(limits=limits, messages=[{"role": "user", "content": "four"}]).code == "string_above_max_length"
    assert refusal(limits=limits, n=3).code == "integer_above_max_value"


@pytest.mark.parametrize("body", [b"", b"{", b"[1]", b"null", b"\xff", b'{"model": NaN}', b"[" * 100_000, b'"\\ud800"'])
def test_what_is_no_object_is_refused(body):
    assert refusal(body=body).code == "invalid_json"


values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=8,
)


@given(st.dictionaries(st.sampled_from(sorted(KNOWN)), values, max_size=6))
def test_random_requests_are_read_or_refused(fields):
    try:
        found = asked(**fields)
    except Refusal as refusal:
        found = refusal.to_json()
    assert isinstance(found, Asked) or found["error"]["type"] == "invalid_request_error"
