"""Answers: pieces join to the whole, stop texts and word limits cut, usage counts words."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dialometer.core.types import Turn
from dialometer.flows.serve.request import Asked
from dialometer.flows.serve.responses import Completion, pieces, shortened


@given(st.text())
def test_pieces_join_to_the_text(text):
    assert "".join(pieces(text)) == text
    assert all(pieces(text))


@pytest.mark.parametrize(
    ("reply", "stop", "words", "found"),
    [
        ("one two three", (), None, ("one two three", "stop")),
        ("one two three", (), 3, ("one two three", "stop")),
        ("one two three", (), 2, ("one two", "length")),
        ("one two three", ("two",), None, ("one ", "stop")),
        ("one two three", ("three", "two"), 1, ("one ", "stop")),
        ("one two three", ("one",), None, ("", "stop")),
        ("", ("x",), 1, ("", "stop")),
    ],
)
def test_where_a_reply_ends(reply, stop, words, found):
    assert shortened(reply, stop, words) == found


def events(completion):
    *data, done = b"".join(completion.stream()).decode().strip().split("\n\n")
    assert done == "data: [DONE]"
    return [json.loads(event.removeprefix("data: ")) for event in data]


def test_a_stream_says_what_the_whole_says():
    asked = Asked("m", (Turn("user", "how are you"),), n=2, stream=True, usage=True, words=3)
    made = Completion(asked, ("fine thanks and you", "ok"), "m-1")
    whole = made.to_json()
    assert whole["usage"] == {"prompt_tokens": 3, "completion_tokens": 4, "total_tokens": 7}
    *chunks, last = events(made)
    assert last["choices"] == []
    assert last["usage"] == whole["usage"]
    for choice in whole["choices"]:
        own = [c["choices"][0] for c in chunks if c["choices"][0]["index"] == choice["index"]]
        assert own[0]["delta"] == {"role": "assistant", "content": ""}
        assert "".join(c["delta"].get("content", "") for c in own) == choice["message"]["content"]
        assert [c["finish_reason"] for c in own if c["finish_reason"]] == [choice["finish_reason"]]
    assert [choice["finish_reason"] for choice in whole["choices"]] == ["length", "stop"]
    assert {chunk["id"] for chunk in chunks} == {whole["id"]}
