"""What endpoints answer, in the words of several of them: which error it is, and how long to wait."""

import json
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime

import pytest

from dialometer.bots._adapters.openai_response import EndpointError, read_response, retry_after


@pytest.mark.parametrize(
    ("kind", "message"),
    [
        ("long", "This model's maximum context length is 2048 tokens. However, you requested 3000 tokens"),
        ("long", "the request exceeds the available context size, try increasing it"),
        ("long", "prompt is too long: 210000 tokens > 200000 maximum"),
        ("long", "The input token count (99) exceeds the maximum number of tokens allowed (9)."),
        ("long", "`inputs` must have less than 1024 tokens. Given: 2000"),
        ("refused", "max_tokens is too large: 99999; this model supports at most 4096 completion tokens"),
        ("refused", "response_format is not known"),
        ("field", "Unrecognized request argument supplied: 'seed'"),
    ],
)
def test_refusals_are_understood(kind, message):
    for body in ({"error": {"message": message}}, {"message": message}, {"error": message}, {"detail": message}):
        with pytest.raises(EndpointError) as caught:
            read_response(400, {}, json.dumps(body))
        assert caught.value.kind == kind


def test_a_pause_may_be_told_in_several_ways():
    assert retry_after({"retry-after": "soon"}) is None
    past = format_datetime(datetime.now(UTC) - timedelta(seconds=60), usegmt=True)
    assert retry_after({"retry-after": past}) == 0
