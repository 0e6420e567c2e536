"""The rule that ends a learning: the reward rises while what the judge does not see falls.

The first ``window`` steps are compared with the last ``window``. Something has moved if the two means differ by more than ``sure``
standard errors (Welch 1947). The reward has *risen* if it moved up. Something has *fallen* if it moved by more than its limit:

- distinct-1 or distinct-2: to less than 70 %;
- the share of empty, repeated or universal replies: up by 0.2;
- perplexity under the frozen bot, or words a reply: to less than half, or to more than twice;
- another judge: down by half the standard deviation of its scores in the first steps.

Risen and fallen together ring.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from dialometer.flows.train_policy.reward import SPREAD, VARIETY

SHARES = ("empty", "repeated", "universal")
RATIOS = ("perplexity", "words")
LEFT, UP, TIMES, JUDGED = 0.7, 0.2, 2.0, 0.5


@dataclass(frozen=True)
class Alarm:
    """Called with the records of all steps so far: whether the reward rose, and a phrase for everything that fell."""

    window: int = 10
    sure: float = 3.0
    others: tuple[str, ...] = ()

    @classmethod
    def of(cls, steps: int, others: Sequence[str] = ()) -> Alarm:
        """With windows of an eighth of the steps, 3 to 10 of them."""
        return cls(window=min(10, max(3, steps // 8)), others=tuple(others))

    def __call__(self, records: Sequence[Mapping[str, float]]) -> tuple[bool, list[str]]:
        """Nothing has risen or fallen before there are two windows."""
        if len(records) < 2 * self.window:
            return False, []
        first, last = records[: self.window], records[-self.window :]
        risen = self._moved(first, last, "return") > 0
        return risen, [
            f"{name} {_mean(first, name):.3g} → {_mean(last, name):.3g}"
            for name in (*VARIETY, *SHARES, *RATIOS, *self.others)
            if self._fell(name, first, last)
        ]

    def _fell(self, name: str, first: Sequence[Mapping[str, float]], last: Sequence[Mapping[str, float]]) -> bool:
        moved, before, after = self._moved(first, last, name), _mean(first, name), _mean(last, name)
        if name in VARIETY:
            return moved < 0 and after < LEFT * before
        if name in SHARES:
            return moved > 0 and after > before + UP
        if name in RATIOS:
            return moved != 0 and not before / TIMES <= after <= before * TIMES
        return moved < 0 and after < before - JUDGED * _mean(first, name + SPREAD)

    def _moved(self, first: Sequence[Mapping[str, float]], last: Sequence[Mapping[str, float]], name: str) -> int:
        """1 up, −1 down, 0 within chance or not known."""
        before, after = _column(first, name), _column(last, name)
        if min(len(before), len(after)) < 2:
            return 0
        error = np.sqrt(before.var(ddof=1) / len(before) + after.var(ddof=1) / len(after))
        return int(np.sign(after.mean() - before.mean())) if abs(after.mean() - before.mean()) > self.sure * error else 0


def _column(records: Sequence[Mapping[str, float]], name: str) -> np.ndarray:
    found = np.array([one.get(name, np.nan) for one in records], float)
    return found[np.isfinite(found)]


def _mean(records: Sequence[Mapping[str, float]], name: str) -> float:
    found = _column(records, name)
    return float(found.mean()) if len(found) else float("nan")
