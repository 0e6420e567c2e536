"""The text that Prometheus reads, taken apart by its grammar, and its numbers counted by hand."""

import re

from dialometer.bots._shared.ask import Answer
from dialometer.flows.serve.counters import Counters

# https://prometheus.io/docs/instrumenting/exposition_formats/, "Text-based format"
SAMPLE = re.compile(r'([a-zA-Z_:][\w:]*)(?:\{((?:[a-zA-Z_]\w*="(?:[^"\\\n]|\\["\\n])*",?)*)\})? (\S+)')


def read(text):
    """Samples by name and labels; every line must be one, or a comment of a kind that there is."""
    assert text.endswith("\n")
    found, typed = {}, {}
    for line in text.splitlines():
        if line.startswith("# TYPE "):
            _, _, name, kind = line.split(" ")
            assert kind in ("counter", "gauge", "histogram")
            assert name not in typed
            typed[name] = kind
        elif not line.startswith("# HELP "):
            name, labels, value = SAMPLE.fullmatch(line).groups()
            assert re.sub(r"_(bucket|sum|count)$", "", name) in typed or name in typed
            found[name, labels or ""] = float(value)
    return found


def test_counts_by_hand():
    counters = Counters()
    counters.request("/v1/chat/completions", 200, 0.02)
    counters.request("/v1/chat/completions", 200, 70.0)
    counters.request("/health", 503, 0.001)
    for size in (1, 3, 64, 1000):
        counters.batch("eliza", size)
    counters.answer("eliza", Answer(("a", "b")))
    counters.answer("eliza", Answer(error="no"))
    found = read(counters.text({"eliza": 7}))
    assert found["dialometer_requests_total", 'path="/v1/chat/completions",status="200"'] == 2
    assert found["dialometer_requests_total", 'path="/health",status="503"'] == 1
    assert found["dialometer_replies_total", 'model="eliza"'] == 2
    assert found["dialometer_failures_total", 'model="eliza"'] == 1
    assert found["dialometer_queue_length", 'model="eliza"'] == 7
    sizes = {bound: found["dialometer_batch_size_bucket", f'model="eliza",le="{bound}"'] for bound in ("1", "2", "4", "64")}
    assert sizes == {"1": 1, "2": 1, "4": 2, "64": 3}
    assert found["dialometer_batch_size_bucket", 'model="eliza",le="+Inf"'] == 4
    assert found["dialometer_batch_size_count", 'model="eliza"'] == 4
    assert found["dialometer_batch_size_sum", 'model="eliza"'] == 1068
    assert found["dialometer_chat_seconds_bucket", 'le="0.025"'] == 1
    assert found["dialometer_chat_seconds_bucket", 'le="60"'] == 1
    assert found["dialometer_chat_seconds_count", ""] == 2


def test_names_with_signs_of_their_own():
    name = 'callable(target="a\\b:c")\n'
    found = read(Counters().text({name: 1}))
    assert found["dialometer_queue_length", 'model="callable(target=\\"a\\\\b:c\\")\\n"'] == 1
