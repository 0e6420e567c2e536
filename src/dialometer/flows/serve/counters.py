"""What the server has done so far, in the text format that Prometheus reads (version 0.0.4)."""

from __future__ import annotations

import threading
from bisect import bisect_left
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence

from dialometer.bots._shared.ask import Answer

SIZES = (1, 2, 4, 8, 16, 32, 64, 128, 256)
SECONDS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60)
Labels = tuple[tuple[str, str], ...]


class Histogram:
    """How many values lie at or below each bound."""

    def __init__(self, bounds: Sequence[float]) -> None:
        self.bounds, self.counts, self.sum = bounds, [0] * (len(bounds) + 1), 0.0

    def add(self, value: float) -> None:
        """Count a value."""
        self.counts[bisect_left(self.bounds, value)] += 1
        self.sum += value

    def lines(self, name: str, labels: Labels) -> list[str]:
        """Buckets up to each bound, their sum and their number."""
        made, total = [], 0
        for bound, count in zip([*map("{:g}".format, self.bounds), "+Inf"], self.counts, strict=True):
            total += count
            made.append(_line(f"{name}_bucket", (*labels, ("le", bound)), total))
        return [*made, _line(f"{name}_sum", labels, self.sum), _line(f"{name}_count", labels, total)]


class Counters:
    """Counts of all threads."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._requests: Counter[tuple[str, int]] = Counter()
        self._replies: Counter[str] = Counter()
        self._failures: Counter[str] = Counter()
        self._sizes: defaultdict[str, Histogram] = defaultdict(lambda: Histogram(SIZES))
        self._seconds = Histogram(SECONDS)

    def request(self, path: str, status: int, seconds: float) -> None:
        """A request that has ended."""
        with self._lock:
            self._requests[path, status] += 1
            if path == "/v1/chat/completions":
                self._seconds.add(seconds)

    def batch(self, model: str, size: int) -> None:
        """A call of a bot."""
        with self._lock:
            self._sizes[model].add(size)

    def answer(self, model: str, answer: Answer) -> None:
        """What a bot said to one request."""
        with self._lock:
            self._replies[model] += len(answer.replies)
            self._failures[model] += bool(answer.error)

    def text(self, waiting: Mapping[str, int]) -> str:
        """All counts; ``waiting`` are the queues as they are now."""
        with self._lock:
            asked = [_line("dialometer_requests_total", (("path", path), ("status", str(status))), count)
                     for (path, status), count in sorted(self._requests.items())]  # fmt: skip
            lines = [
                *_head("dialometer_requests_total", "counter", "Requests by path and HTTP status."), *asked,
                *_head("dialometer_replies_total", "counter", "Replies that bots gave."),
                *_by_model("dialometer_replies_total", self._replies),
                *_head("dialometer_failures_total", "counter", "Requests that a bot could not answer."),
                *_by_model("dialometer_failures_total", self._failures),
                *_head("dialometer_queue_length", "gauge", "Requests that wait for a bot now."),
                *_by_model("dialometer_queue_length", waiting),
                *_head("dialometer_batch_size", "histogram", "Requests answered by one call of a bot."),
                *[line for model, sizes in self._sizes.items() for line in sizes.lines(
                    "dialometer_batch_size", (("model", model),))],
                *_head("dialometer_chat_seconds", "histogram", "Seconds from a chat request to the end of its answer."),
                *self._seconds.lines("dialometer_chat_seconds", ()),
            ]  # fmt: skip
        return "\n".join(lines) + "\n"


def _head(name: str, kind: str, told: str) -> list[str]:
    return [f"# HELP {name} {told}", f"# TYPE {name} {kind}"]


def _by_model(name: str, counts: Mapping[str, int]) -> list[str]:
    return [_line(name, (("model", model),), count) for model, count in counts.items()]


def _line(name: str, labels: Labels, value: float) -> str:
    """One sample.

    >>> _line("x_total", (("model", 'a"b'),), 3)
    'x_total{model="a\\\\"b"} 3'
    """
    spelt = ",".join(f'{key}="{_escaped(text)}"' for key, text in labels)
    return f"{name}{{{spelt}}} {value:.10g}" if spelt else f"{name} {value:.10g}"


def _escaped(text: str) -> str:
    return text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
