"""What calls to a remote bot have cost so far: requests, tokens, money, time."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass
class Usage:
    """Counters; ``untold`` are answers that did not say how many tokens they took, ``cut`` contexts that had to be shortened."""

    requests: int = 0
    retries: int = 0
    failures: int = 0
    cut: int = 0
    tokens_in: int = 0
    tokens_out: int = 0
    untold: int = 0
    seconds: list[float] = field(default_factory=list)  # of the requests that were answered

    def answered(self, seconds: float, tokens: tuple[int, int] | None) -> None:
        """Count one answer."""
        self.seconds.append(seconds)
        if tokens is None:
            self.untold += 1
        else:
            self.tokens_in += tokens[0]
            self.tokens_out += tokens[1]

    def report(self, price_in: float, price_out: float) -> dict[str, float | int | None]:
        """All of it with a cost; what nobody told, or has no price, is None, for absent is not zero."""
        told = self.untold < len(self.seconds) or not self.seconds
        priced = price_in >= 0 and price_out >= 0 and not self.untold
        return {
            "requests": self.requests,
            "retries": self.retries,
            "failures": self.failures,
            "cut": self.cut,
            "tokens_in": self.tokens_in if told else None,
            "tokens_out": self.tokens_out if told else None,
            "untold": self.untold,
            "cost": (self.tokens_in * price_in + self.tokens_out * price_out) / 1e6 if priced else None,
            "latency_p50": quantile(self.seconds, 0.5),
            "latency_p95": quantile(self.seconds, 0.95),
        }


def quantile(values: list[float], share: float) -> float | None:
    """The smallest value that at least this share of the values does not exceed.

    >>> quantile([3.0, 1.0, 2.0, 4.0], 0.5), quantile([], 0.5)
    (2.0, None)
    """
    if not values:
        return None
    at = -int(-share * len(values) // 1) - 1
    return sorted(values)[max(at, 0)]
