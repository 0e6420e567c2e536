"""Early stopping of a policy: the reward rises while a measure that it does not include degrades.

The first ``window`` steps are compared with the last ``window``. A measure has changed if the two means differ by more than
``errors`` standard errors (Welch 1947). The reward has *risen* if it changed upwards. A measure has *degraded* if it changed by
more than its limit:

- distinct-1 or distinct-2: to less than 70 %;
- the share of empty, repeated or universal responses: up by 0.2;
- perplexity under the initial policy, or words per response: to less than half, or to more than twice;
- another metric: down by half the standard deviation of its scores in the first steps.

The rule is met when the reward has risen and a measure has degraded.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from dialometer.flows.train_policy.reward import SPREAD, VARIETY

SHARES = ("empty", "repeated", "universal")
RATIOS = ("perplexity", "words")
DIVERSITY_RATIO, SHARE_RISE, RATIO, SPREADS = 0.7, 0.2, 2.0, 0.5


@dataclass(frozen=True)
class EarlyStopping:
    """Called with the measures of all steps so far: whether the reward has risen, and a phrase for every degraded measure."""

    window: int = 10
    errors: float = 3.0
    metrics: tuple[str, ...] = ()

    @classmethod
    def of(cls, steps: int, metrics: Sequence[str] = ()) -> EarlyStopping:
        """With windows of an eighth of the steps, 3 to 10 of them."""
        return cls(window=min(10, max(3, steps // 8)), metrics=tuple(metrics))

    def __call__(self, records: Sequence[Mapping[str, float]]) -> tuple[bool, list[str]]:
        """Nothing has risen or degraded before there are two windows."""
        if len(records) < 2 * self.window:
            return False, []
        first, last = records[: self.window], records[-self.window :]
        risen = self._direction(first, last, "return") > 0
        return risen, [
            f"{name} {_mean(first, name):.3g} → {_mean(last, name):.3g}"
            for name in (*VARIETY, *SHARES, *RATIOS, *self.metrics)
            if self._degraded(name, first, last)
        ]

    def _degraded(self, name: str, first: Sequence[Mapping[str, float]], last: Sequence[Mapping[str, float]]) -> bool:
        direction, before, after = self._direction(first, last, name), _mean(first, name), _mean(last, name)
        if name in VARIETY:
            return direction < 0 and after < DIVERSITY_RATIO * before
        if name in SHARES:
            return direction > 0 and after > before + SHARE_RISE
        if name in RATIOS:
            return direction != 0 and not before / RATIO <= after <= before * RATIO
        return direction < 0 and after < before - SPREADS * _mean(first, name + SPREAD)

    def _direction(self, first: Sequence[Mapping[str, float]], last: Sequence[Mapping[str, float]], name: str) -> int:
        """1 up, −1 down, 0 within chance or not known."""
        before, after = _column(first, name), _column(last, name)
        if min(len(before), len(after)) < 2:
            return 0
        error = np.sqrt(before.var(ddof=1) / len(before) + after.var(ddof=1) / len(after))
        return int(np.sign(after.mean() - before.mean())) if abs(after.mean() - before.mean()) > self.errors * error else 0


def _column(records: Sequence[Mapping[str, float]], name: str) -> np.ndarray:
    values = np.array([record.get(name, np.nan) for record in records], float)
    return values[np.isfinite(values)]


def _mean(records: Sequence[Mapping[str, float]], name: str) -> float:
    values = _column(records, name)
    return float(values.mean()) if len(values) else float("nan")
