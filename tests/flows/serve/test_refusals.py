"""serve where it cannot begin: a sentence and a way out before anything is loaded and the port opens."""

import re

import pytest

from dialometer.contracts.serve import ServeRequest
from dialometer.core.errors import MissingResource, UsageError
from dialometer.flows.serve import serve as flow
from dialometer.flows.serve.serve import serve


@pytest.mark.parametrize(
    ("options", "told"),
    [
        ({"bots": ()}, "no bot was named"),
        ({"bots": ("parrot", "parrot")}, "two bots would be named 'parrot'"),
        ({"bots": ("parrot", "eliza"), "names": ("a",)}, "2 bots and 1 names"),
        ({"names": ("a",), "bots": ("nosuch",)}, "there is no bot named 'nosuch'"),
        ({"bots": ("parrot",), "batch": 0}, "--batch is 1 to"),
        ({"bots": ("parrot",), "wait": -1.0}, "--wait is 0 to"),
        ({"bots": ("parrot",), "grace": float("nan")}, "--grace"),
        ({"bots": ("parrot",), "max_n": 0}, "--max-n is 1 to 10000, not 0"),
        ({"bots": ("parrot",), "timeout": float("inf")}, "--timeout"),
        ({"bots": ("parrot",), "port": 70000}, "--port is 0 to 65535"),
        ({"bots": ("parrot",), "host": "no.such.host.invalid"}, "there is no address"),
        ({"bots": ("parrot",), "token_env": "NO_SUCH_VARIABLE"}, "the environment has no NO_SUCH_VARIABLE"),
    ],
)
def test_what_cannot_be_served_is_told_before_the_port_opens(options, told):
    with pytest.raises(UsageError, match=re.escape(told)) as caught:
        serve(ServeRequest(**({"port": 0} | options)), announce=lambda url, names: pytest.fail("it opened"))
    assert caught.value.hint


def test_a_missing_package_names_the_line_to_type(monkeypatch):
    monkeypatch.setattr(flow, "find_spec", lambda name: None)
    with pytest.raises(MissingResource) as caught:
        serve(ServeRequest(("parrot",)))
    assert caught.value.hint == 'pip install "dialometer[serve]"'
